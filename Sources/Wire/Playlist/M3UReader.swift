/// One URL a line; in the extended form `#EXTINF:seconds attributes,title` stands before it.
enum M3UReader {
  static func entries(of lines: PlaylistLines, base: String) -> [PlaylistEntry] {
    var entries: [PlaylistEntry] = []
    var title: String?
    var seconds: Double?
    for line in lines.list where entries.count < Playlist.entriesMax {
      if line.hasPrefix(ignoringCase: "#EXTINF:") {
        (seconds, title) = information(line.dropFirst("#EXTINF:".utf8.count))
      } else if line.first != UInt8(ascii: "#") {
        if isPlausible(line), var entry = PlaylistEntry(line: line, base: base) {
          (entry.title, entry.seconds) = (title, seconds)
          entries.append(entry)
        }
        (title, seconds) = (nil, nil)
      }
    }
    return entries
  }

  /// What every line of a playlist without any header must be.
  static func isCommentOrURL(_ line: ArraySlice<UInt8>) -> Bool {
    line.first == UInt8(ascii: "#") || line.hasPrefix(ignoringCase: "http://")
      || line.hasPrefix(ignoringCase: "https://")
  }

  // "Not found" is an error page's text, not the name of a stream.
  private static func isPlausible(_ line: ArraySlice<UInt8>) -> Bool {
    line.contains(UInt8(ascii: "/")) || line.contains(UInt8(ascii: "."))
  }

  private static func information(_ text: ArraySlice<UInt8>) -> (Double?, String?) {
    let number = text.prefix { $0 != UInt8(ascii: ",") && !ASCII.isBlank($0) }
    let seconds = PlaylistNumber.seconds(number)
    guard let comma = titleComma(text) else { return (seconds, nil) }
    let title = Charset.decode(Array(ASCII.trimmed(text[(comma + 1)...])))
    return (seconds, title.isEmpty ? nil : title)
  }

  /// The comma before the title: the first one outside the attributes' quotes.
  private static func titleComma(_ text: ArraySlice<UInt8>) -> Int? {
    var isQuoted = false
    for (index, byte) in zip(text.indices, text) {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if byte == UInt8(ascii: ",") && !isQuoted { return index }
    }
    return text.firstIndex(of: UInt8(ascii: ","))
  }
}

/// The numbers of playlists.
enum PlaylistNumber {
  /// Seconds with or without decimals; nil for anything else.
  static func seconds(_ text: ArraySlice<UInt8>) -> Double? {
    guard text.count <= 20,
      text.allSatisfy({ ASCII.isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") })
    else { return nil }
    return Double(String(decoding: text, as: UTF8.self))
  }
}
