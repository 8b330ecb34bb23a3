/// XSPF (`<track><location>`) and ASX (`<entry><ref href>`): playlists written in XML.
///
/// Both are read by one table, for people put one into the other's file. The addresses of one track are alternatives
/// and become entries of their own, with the track's title.
enum XMLPlaylistReader {
  /// Whether the document's first tag is a playlist's; nil: not XML at all.
  static func isPlaylist(_ text: ArraySlice<UInt8>) -> Bool {
    var tokens = XMLTokens(text)
    while let token = tokens.next() {
      if case .open(let name, _) = token { return name == "playlist" || name == "asx" }
    }
    return false
  }

  static func entries(of text: ArraySlice<UInt8>, base: String) -> [PlaylistEntry] {
    var entries: [PlaylistEntry] = []
    var track = Track()
    /// Open tags, outermost first.
    var path: [String] = []
    var tokens = XMLTokens(text)
    while let token = tokens.next(), entries.count < Playlist.entriesMax {
      switch token {
      case .open(let name, let attributes):
        path.append(name)
        if name == "track" || name == "entry" { track = Track() }
        if name == "ref" || name == "entryref", let href = attributes["href"] {
          track.places.append(href)
        }
        if name == "entryref" { entries += track.takeEntries(base: base) }
      case .text(let text):
        if path.last == "location", path.contains("track") { track.places.append(text) }
        if path.last == "title", path.contains("track") || path.contains("entry") {
          track.title = Charset.decode(text)
        }
      case .close(let name):
        if let place = path.lastIndex(of: name) { path.removeSubrange(place...) }
        if name == "track" || name == "entry" { entries += track.takeEntries(base: base) }
      }
    }
    // A document that was cut off: what it had is used.
    return Array((entries + track.takeEntries(base: base)).prefix(Playlist.entriesMax))
  }

  private struct Track {
    var title: String?
    var places: [[UInt8]] = []

    mutating func takeEntries(base: String) -> [PlaylistEntry] {
      defer { self = Track() }
      return places.compactMap { place in
        var entry = PlaylistEntry(line: place[...], base: base)
        entry?.title = title
        return entry
      }
    }
  }
}
