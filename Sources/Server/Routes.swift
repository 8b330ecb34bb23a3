import Wire

/// Method and path → who answers. Audio and playlists are answered on the loop, everything else by the API.
enum Routes {
  enum Route {
    case stream(Mount)
    case playlist(Mount, MountTable.PlaylistKind)
    case api
    case methodNotAllowed(allow: String)
  }

  static func route(_ head: HTTPRequestHead, in table: MountTable) -> Route {
    switch table.find(head.path) {
    case .stream(let mount): isRead(head.method) ? .stream(mount) : .methodNotAllowed(allow: reads)
    case .playlist(let mount, let kind):
      isRead(head.method) ? .playlist(mount, kind) : .methodNotAllowed(allow: reads)
    case nil: .api
    }
  }

  private static let reads = "GET, HEAD"

  private static func isRead(_ method: String) -> Bool { method == "GET" || method == "HEAD" }
}
