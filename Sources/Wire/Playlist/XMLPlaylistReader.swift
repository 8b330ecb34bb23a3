/// XSPF (`<track><location>`) and ASX (`<entry><ref href>`): playlists written in XML.
///
/// Both are read by one table, for people put one into the other's file. The addresses of one track are alternatives
/// and become entries of their own, with the track's title.
enum XMLPlaylistReader {
  /// Elements inside elements: what stands deeper is no playlist's, and ends it.
  private static let depthMax = 64

  /// Whether the document's first tag is a playlist's; nil: not XML at all.
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
    /// Open tags, outermost first; at most `depthMax`, so that looking through them is little work.
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
    // A document that was cut off: what it had is used.
    finish()
    return items
  }
}

extension PlaylistItem {
  /// What ASX says in attributes.
  fileprivate mutating func read(tag name: String, _ attributes: [String: [UInt8]]) {
    guard let href = attributes["href"] else { return }
    switch name {
    case "ref", "entryref": places.append(href)
    case "banner", "logo": artwork = Charset.decode(href)
    case "moreinfo": homepage = Charset.decode(href)
    default: break
    }
  }

  /// What stands inside a track's or an entry's element.
  fileprivate mutating func read(text: [UInt8], of name: String) {
    switch name {
    case "location": places.append(text)
    case "title": title = Charset.decode(text)
    case "image": artwork = Charset.decode(text)
    case "info": homepage = Charset.decode(text)
    case "annotation", "abstract": description = Charset.decode(text)
    // Not XSPF's own; inside its `extension`.
    case "genre": genre = Charset.decode(text)
    default: break
    }
  }
}
