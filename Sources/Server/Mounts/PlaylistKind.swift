/// A format of playlists, by the ending of its path.
package enum PlaylistKind: String, Hashable, Sendable, CaseIterable {
  case m3u, pls, xspf, asx

  package var mediaType: String {
    switch self {
    case .m3u: "audio/x-mpegurl"
    case .pls: "audio/x-scpls"
    case .xspf: "application/xspf+xml"
    case .asx: "video/x-ms-asf"
    }
  }
}
