/// Reads the files of XSPF, and of ASX since people put one kind into the other's file.
///
/// Of several places of one track the first file counts, else the first address.
enum TrackListXML {
  /// The deepest nesting of elements; no list is deeper, so reading ends there.
  private static let depthMax = 64

  static func rows(of text: ArraySlice<UInt8>, max: Int) -> [TrackList.Row] {
    var rows: [TrackList.Row] = []
    /// Nil outside of a track.
    var track: Track?
    func finish() {
      if let track { rows.append(track.row) }
      track = nil
    }
    /// The open tags, outermost first.
    var path: [String] = []
    var (line, counted) = (1, text.startIndex)
    var tokens = XMLTokens(text)
    while let token = tokens.next(), rows.count < max {
      line += text[counted..<tokens.start].count { $0 == ASCII.lineFeed }
      counted = tokens.start
      switch token {
      case .open(let name, let attributes):
        guard path.count < depthMax else {
          rows.append(
            .failure(TrackListFault(line: line, [], "this and all behind it are too deep")))
          return rows
        }
        path.append(name)
        if name == "track" || name == "entry" || name == "entryref" { track = Track(line: line) }
        if name == "ref" || name == "entryref", let href = attributes["href"] {
          track?.add(href, line: line)
        }
        if name == "entryref" { finish() }
      case .text(let text):
        guard path.contains("track") || path.contains("entry"), let name = path.last else {
          continue
        }
        track?.read(text, of: name, line: line)
      case .close(let name):
        if let place = path.lastIndex(of: name) { path.removeSubrange(place...) }
        if name == "track" || name == "entry" { finish() }
      }
    }
    return rows
  }

  private struct Track {
    let line: Int
    private var places: [TrackListEntry] = []
    /// Why the first of them that is none is none.
    private var fault: TrackListFault?
    private var title, artist: String?
    private var seconds: Double?

    /// The most places of one track that are kept.
    private static let placesMax = 16

    init(line: Int) { self.line = line }

    mutating func add(_ place: [UInt8], line: Int) {
      guard places.count < Self.placesMax else { return }
      do throws(TrackListFault) {
        places.append(try TrackListEntry(text: place[...], line: line, isReference: true))
      } catch {
        fault = fault ?? error
      }
    }

    mutating func read(_ text: [UInt8], of name: String, line: Int) {
      switch name {
      case "location": add(text, line: line)
      case "title": title = Charset.decode(text)
      case "creator", "author": artist = Charset.decode(text)
      case "duration":
        // Milliseconds.
        seconds = PlaylistNumber.seconds(text[...]).map { $0 / 1000 }.flatMap { $0 > 0 ? $0 : nil }
      default: break
      }
    }

    var row: TrackList.Row {
      let file = places.first { if case .path = $0.place { true } else { false } }
      guard var entry = file ?? places.first else {
        let text = Array((title ?? "").utf8)
        return .failure(fault ?? TrackListFault(line: line, text[...], "names no file"))
      }
      (entry.title, entry.artist, entry.seconds) = (title, artist, seconds)
      return .success(entry)
    }
  }
}
