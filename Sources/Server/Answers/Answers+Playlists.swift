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

  /// Answers with a playlist that leads to the mount's stream.
  func sendPlaylist(
    _ slot: UInt32, _ head: HTTPRequestHead, _ mount: Mount, _ kind: PlaylistKind
  ) {
    let url =
      connections.baseURL(slot, head) + mount.name(ofPlaylist: head.path) + Self.carried(head)
    let name = mount.description.name.isEmpty ? mount.station : mount.description.name
    let order = Self.page(mount, kind, key: nil) { [Playlist.Track(url: url, title: name)] }
    var page = Representation(
      status: 200, mediaType: order.mediaType, body: order.body { true }, fields: order.fields)
    page.suit(head)
    reply(slot, head, page)
  }

  /// Returns the order for a playlist of a station.
  static func page(
    _ mount: Mount, _ kind: PlaylistKind, key: String?,
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
