import Wire

/// Which part answers a method and path. Audio and playlists are answered on the loop, everything else by the API.
public enum Routes {
  enum Route {
    case stream(Mount)
    case playlist(Mount, MountTable.PlaylistKind)
    case clip(Mount)
    case samples(Mount, isWAV: Bool)
    case file(Mount, path: String)
    case api
    case options(allow: String)
    case methodNotAllowed(allow: String)
  }

  static func route(_ head: HTTPRequestHead, in table: MountTable) -> Route {
    let found = head.target == "*" ? nil : table.find(head.path, sid: head.query["sid"])
    if head.method == "OPTIONS" { return .options(allow: found == nil ? everything : reads) }
    return switch found {
    case .stream(let mount):
      isRead(head.method)
        ? .stream(chosen(mount, head, table)) : .methodNotAllowed(allow: reads)
    case .playlist(let mount, let kind):
      isRead(head.method)
        ? .playlist(chosen(mount, head, table), kind) : .methodNotAllowed(allow: reads)
    case .clip(let mount): isRead(head.method) ? .clip(mount) : .methodNotAllowed(allow: reads)
    case .samples(let mount, let isWAV):
      isRead(head.method) ? .samples(mount, isWAV: isWAV) : .methodNotAllowed(allow: reads)
    case .file(let mount, let path):
      isRead(head.method) ? .file(mount, path: path) : .methodNotAllowed(allow: reads)
    case nil: .api
    }
  }

  /// Returns the station, or the rendition of it that fits the bit rate that is asked for.
  private static func chosen(
    _ mount: Mount, _ head: HTTPRequestHead, _ table: MountTable
  ) -> Mount {
    guard let bitrate = head.query["bitrate"].flatMap(StreamRequest.bitrate) else { return mount }
    return table.mount(mount, within: bitrate)
  }

  /// Whether a client wants to push a station's audio: the request has no body to be read, its connection is the
  /// source.
  public static func isSource(_ head: HTTPRequestHead) -> Bool {
    head.method == "SOURCE" || (head.method == "PUT" && !head.isBelow("/api/"))
  }

  /// Whether a request is for the API or the dashboard, and so for no station.
  static func isForAdministrators(_ head: HTTPRequestHead, in table: MountTable) -> Bool {
    if head.isBelow("/api/v1/") { return true }
    let isDashboard =
      ["/admin", "/admin/", "/readyz"].contains(head.path) || head.isBelow("/assets/")
    return isDashboard && isRead(head.method) && table.find(head.path) == nil
  }

  private static let reads = "GET, HEAD, OPTIONS"
  private static let everything = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

  private static func isRead(_ method: String) -> Bool { method == "GET" || method == "HEAD" }
}
