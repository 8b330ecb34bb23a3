import Wire

// Playlists, of stations and of folders.
extension Answers {
  /// Returns the query for the entries of a playlist. Each entry carries it, so a long query is left out.
  static func carried(_ head: HTTPRequestHead) -> String {
    let query = head.query.raw
    return query.isEmpty || query.utf8.count > carriedBytesMax ? "" : "?" + query
  }

  /// Longer than any query that the server understands: a token, a session, a moment.
  private nonisolated static let carriedBytesMax = 256

  /// Returns the order for a playlist of a station.
  static func page(
    _ mount: Mount, _ kind: MountTable.PlaylistKind, key: String?,
    _ tracks: @escaping @Sendable () -> [Playlist.Track]
  ) -> PageOrder {
    let name = mount.description.name.isEmpty ? mount.station : mount.description.name
    return PageOrder(
      key: key, mediaType: kind.mediaType,
      fields: [
        CacheControl.revalidate,
        .init(
          name: "Content-Disposition",
          value: "inline; filename=\"\(mount.station).\(kind.rawValue)\""),
      ]
    ) {
      let bytesMax = PageOrder.bytesMax
      let text =
        switch kind {
        case .m3u: Playlist.m3u(tracks(), bytesMax: bytesMax)
        case .pls: Playlist.pls(tracks(), bytesMax: bytesMax)
        case .xspf: Playlist.xspf(tracks(), title: name, bytesMax: bytesMax)
        case .asx: Playlist.asx(tracks(), title: name, bytesMax: bytesMax)
        }
      return Array(text.utf8)
    }
  }
}
