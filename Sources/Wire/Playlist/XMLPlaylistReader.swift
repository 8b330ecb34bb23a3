/// Reads playlists written in XML: XSPF (`<track><location>`) and ASX (`<entry><ref href>`).
///
/// One table reads both, because people put one kind into the other's file. The addresses of one track are alternatives
/// and become entries of their own, with the track's title.
enum XMLPlaylistReader {
  /// The deepest nesting of elements; no playlist is deeper, so reading ends there.
  private static let depthMax = 64

  /// Whether the document's first tag is a playlist's; false without any tag.
  static func isPlaylist(_ text: ArraySlice<UInt8>) -> Bool {
    var tokens = XMLTokens(text)
    while let token = tokens.next() {
      if case .open(let name, _) = token { return name == "playlist" || name == "asx" }
    }
    return false
  }

  static func items(of text: ArraySlice<UInt8>, max: Int) -> [PlaylistItem] {
    var items: [PlaylistItem] = []
    var track = PlaylistItem()
    func finish() {
      if !track.places.isEmpty { items.append(track) }
      track = PlaylistItem()
    }
    /// The open tags, outermost first; at most `depthMax`, so that a search through them is little work.
    var path: [String] = []
    var tokens = XMLTokens(text)
    while let token = tokens.next(), items.count < max {
      switch token {
      case .open(let name, let attributes):
        guard path.count < depthMax else { return items }
        path.append(name)
        if name == "track" || name == "entry" { track = PlaylistItem() }
        track.read(tag: name, attributes)
        if name == "entryref" { finish() }
      case .text(let text):
        if path.contains("track") || path.contains("entry"), let name = path.last {
          track.read(text: text, of: name)
        }
      case .close(let name):
        if let place = path.lastIndex(of: name) { path.removeSubrange(place...) }
        if name == "track" || name == "entry" { finish() }
      }
    }
    // A document that was cut off still yields the track that had begun.
    finish()
    return items
  }
}

extension PlaylistItem {
  /// Reads the values that ASX keeps in attributes.
  fileprivate mutating func read(tag name: String, _ attributes: [String: [UInt8]]) {
    guard let href = attributes["href"] else { return }
    switch name {
    case "ref", "entryref": places.append(href)
    case "banner", "logo": artwork = Charset.decode(href)
    case "moreinfo": homepage = Charset.decode(href)
    default: break
    }
  }

  /// Reads the text inside a track's or an entry's element.
  fileprivate mutating func read(text: [UInt8], of name: String) {
    switch name {
    case "location": places.append(text)
    case "title": title = Charset.decode(text)
    case "image": artwork = Charset.decode(text)
    case "info": homepage = Charset.decode(text)
    case "annotation", "abstract": description = Charset.decode(text)
    // "genre" is not XSPF's own element; it stands inside XSPF's `extension`.
    case "genre": genre = Charset.decode(text)
    default: break
    }
  }
}
