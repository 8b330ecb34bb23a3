import Timeshift
import Wire

/// Which mount a path means. A station or a path of its own wins over a name derived from one.
struct MountTable: Sendable {
  enum Found {
    case stream(Mount)
    case playlist(Mount, PlaylistKind)
  }

  enum PlaylistKind: String, CaseIterable {
    case m3u
    case pls

    var mediaType: String {
      switch self {
      case .m3u: "audio/x-mpegurl"
      case .pls: "audio/x-scpls"
      }
    }
  }

  let mounts: [Mount]
  private let byPath: [String: Int]

  init(_ mounts: [Mount] = []) {
    self.mounts = mounts
    var byPath: [String: Int] = [:]
    // Own paths first: a station's id wins over another's further path.
    for (index, mount) in mounts.enumerated() {
      for path in mount.paths where byPath[path] == nil { byPath[path] = index }
    }
    for (index, mount) in mounts.enumerated() { byPath["/" + mount.station] = index }
    self.byPath = byPath
  }

  /// - Parameter path: percent-decoded, beginning with a slash; one trailing slash is overlooked.
  func find(_ path: String) -> Found? {
    var path = Substring(path)
    if path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
    if let index = byPath[String(path)] { return .stream(mounts[index]) }
    guard let dot = path.lastIndex(of: "."), let index = byPath[String(path[..<dot])] else {
      return nil
    }
    let ending = String(path[path.index(after: dot)...])
    if let kind = PlaylistKind(rawValue: ending) { return .playlist(mounts[index], kind) }
    // `/ID.mp3` is the stream if that is its codec.
    let codec = mounts[index].log.snapshot().format?.codec
    return codec?.fileExtension == ending ? .stream(mounts[index]) : nil
  }

  func mount(station: String) -> Mount? {
    byPath["/" + station].map { mounts[$0] }
  }
}
