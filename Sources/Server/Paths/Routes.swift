import Timeshift
import Wire

/// Which part answers a method and path. What has a row in `ServedPath` is answered by the loops, everything else by the
/// API.
public enum Routes {
  enum Route {
    case served(Found)
    case api
    case options(allow: String)
    case methodNotAllowed(allow: String)
  }

  /// The row of a path, and the mount that it is about.
  struct Found {
    let row: ServedPath
    var mount: Mount
    /// What stands where the row's path has further parts in braces; a file's path is one.
    var parts: [String] = []
    /// What the request wants, where it has been read already.
    var wanted: (any Wanted)?
  }

  static func route(_ head: HTTPRequestHead, in table: MountTable) -> Route {
    var found = head.target == "*" ? nil : find(head.path, sid: head.query["sid"], in: table)
    // Another spelling would be kept once more by caches, and addresses in the answer would lead elsewhere.
    if let row = found?.row, row.isSpelledOnce, !isPlain(head, row) { found = nil }
    if head.method == "OPTIONS" { return .options(allow: found == nil ? everything : reads) }
    guard var found else { return .api }
    guard isRead(head.method) else { return .methodNotAllowed(allow: reads) }
    if found.row.choosesRendition,
      let bitrate = head.query["bitrate"].flatMap(StreamRequest.bitrate)
    {
      found.mount = table.mount(found.mount, within: bitrate)
    }
    return .served(found)
  }

  /// Whether a target's path has the parts that were read, none of them empty, and no escapes behind the mount's name.
  private static func isPlain(_ head: HTTPRequestHead, _ row: ServedPath) -> Bool {
    let slash = UInt8(ascii: "/")
    var path = head.target.utf8.prefix { $0 != UInt8(ascii: "?") }
    if path.first != slash, let scheme = path.firstRange(of: "://".utf8) {
      path = path[scheme.upperBound...].drop { $0 != slash }
    }
    let tail = if case .parts(let parts) = row.pattern.tail { parts.count } else { 0 }
    // A slash at the end is behind an empty part.
    var (slashes, isSlash) = (0, true)
    for byte in path.reversed() {
      if byte == slash {
        if isSlash { return false }
        slashes += 1
      } else if byte == UInt8(ascii: "%"), slashes < tail {
        return false
      }
      isSlash = byte == slash
    }
    return slashes == head.path.utf8.count { $0 == slash }
  }

  /// Returns what a path means; nil when no mount has it.
  ///
  /// - Parameters:
  ///   - path: percent-decoded, beginning with a slash.
  ///   - sid: SHOUTcast's number of a stream, from 1, for the paths that name none.
  static func find(_ path: String, sid: String? = nil, in table: MountTable) -> Found? {
    let (asked, sid) = (AskedPath(path), sid.map { Substring($0) })
    if let mount = table.mount(at: asked.text)
      ?? (asked.isNumbered ? table.mount(numbered: asked.number ?? sid) : nil)
    {
      return whole(mount)
    }
    if !asked.isNumbered, let found = below(asked.text, table) ?? encoded(asked.text, table) {
      return found
    }
    if let (mount, file) = table.file(at: path) {
      return Found(row: .file, mount: mount, parts: [file])
    }
    return asked.isNumbered ? nil : playlist(asked.text, sid, table)
  }

  private static func whole(_ mount: Mount) -> Found {
    mount.files == nil
      ? Found(row: .listen, mount: mount) : Found(row: .file, mount: mount, parts: [""])
  }

  private static let rowsBelow = ServedPath.all.filter {
    if case .parts = $0.pattern.tail { !$0.isOfFiles } else { false }
  }

  /// Returns what stands below a stream.
  private static func below(_ path: Substring, _ table: MountTable) -> Found? {
    for row in rowsBelow {
      if let (name, parts) = row.pattern.match(path), let mount = table.mount(at: name),
        mount.files == nil
      {
        return Found(row: row, mount: mount, parts: parts)
      }
    }
    return nil
  }

  /// Returns the stream of `/ID.mp3`, if that is its codec.
  private static func encoded(_ path: Substring, _ table: MountTable) -> Found? {
    guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")),
      let mount = table.mount(at: path[..<dot]), let codec = mount.log?.snapshot().format?.codec,
      codec.pathEndings.contains(String(Substring(path.utf8[dot...].dropFirst())))
    else { return nil }
    return Found(row: .listen, mount: mount)
  }

  private static let rowsOfEndings = ServedPath.all.filter {
    if case .ending = $0.pattern.tail { true } else { false }
  }

  /// Returns the playlist of a mount, or of the stream with SHOUTcast's number: `/listen.m3u`, `/listen`.
  private static func playlist(
    _ path: Substring, _ sid: Substring?, _ table: MountTable
  ) -> Found? {
    let path = path == "/listen" ? "/listen.pls" : path
    for row in rowsOfEndings {
      guard let (name, _) = row.pattern.match(path),
        let mount =
          name == "/listen" ? table.mount(numbered: sid) : table.mount(ofPlaylist: name),
        row.isOfFiles == (mount.files != nil)
      else { continue }
      return Found(row: row, mount: mount)
    }
    return nil
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
    return isDashboard && isRead(head.method) && find(head.path, in: table) == nil
  }

  private static let reads = "GET, HEAD, OPTIONS"
  private static let everything = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

  private static func isRead(_ method: String) -> Bool { method == "GET" || method == "HEAD" }
}
