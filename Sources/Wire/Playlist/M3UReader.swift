/// Reads m3u: one URL a line. In the extended form `#EXTINF:seconds attributes,title` and further lines stand before
/// it.
///
/// There is no standard. Besides the title the reader reads what lists of stations have: `tvg-logo` and `group-title`
/// among the attributes, `#EXTIMG:`, `#EXTGRP:` and `#EXTGENRE:`.
enum M3UReader {
  static func items(of lines: PlaylistLines, max: Int) -> [PlaylistItem] {
    var items: [PlaylistItem] = []
    var item = PlaylistItem()
    for line in lines.list where items.count < max {
      if line.first == UInt8(ascii: "#") {
        read(line, into: &item)
      } else {
        if isPlausible(line) {
          item.places = [Array(line)]
          items.append(item)
        }
        item = PlaylistItem()
      }
    }
    return items
  }

  /// Takes over what a line that begins with `#` says of the next entry.
  static func read(_ line: ArraySlice<UInt8>, into item: inout PlaylistItem) {
    func text(after tag: StaticString) -> String? {
      guard line.hasPrefix(ignoringCase: tag) else { return nil }
      let text = Charset.decode(Array(ASCII.trimmed(line.dropFirst("\(tag)".utf8.count))))
      return text.isEmpty ? nil : text
    }
    if line.hasPrefix(ignoringCase: "#EXTINF:") {
      readInformation(line.dropFirst("#EXTINF:".utf8.count), into: &item)
    } else if let image = text(after: "#EXTIMG:") {
      item.artwork = image
    } else if let genre = text(after: "#EXTGENRE:") ?? text(after: "#EXTGRP:") {
      item.genre = genre
    }
  }

  /// Whether a line is a comment or a URL, like every line of a playlist without a header.
  static func isCommentOrURL(_ line: ArraySlice<UInt8>) -> Bool {
    line.first == UInt8(ascii: "#") || line.hasPrefix(ignoringCase: "http://")
      || line.hasPrefix(ignoringCase: "https://") || line.hasPrefix(ignoringCase: "icy://")
      || line.hasPrefix(ignoringCase: "icyx://")
  }

  // A line without a slash or a dot, like "Not found", is an error page's text, not the name of a stream.
  private static func isPlausible(_ line: ArraySlice<UInt8>) -> Bool {
    line.contains(UInt8(ascii: "/")) || line.contains(UInt8(ascii: "."))
  }

  private static func readInformation(_ text: ArraySlice<UInt8>, into item: inout PlaylistItem) {
    let number = text.prefix { $0 != UInt8(ascii: ",") && !ASCII.isBlank($0) }
    item.seconds = PlaylistNumber.seconds(number)
    item.title = nil
    guard let comma = titleComma(text) else { return }
    let title = Charset.decode(Array(ASCII.trimmed(text[(comma + 1)...])))
    item.title = title.isEmpty ? nil : title
    let attributes = text[number.endIndex..<comma]
    if let logo = attribute("tvg-logo", in: attributes) { item.artwork = logo }
    if let group = attribute("group-title", in: attributes) { item.genre = group }
  }

  /// Returns the value of `name="value"`; nil where the attribute is missing or empty.
  private static func attribute(_ name: StaticString, in text: ArraySlice<UInt8>) -> String? {
    var rest = text
    let first = name.utf8Start.pointee
    while let byte = rest.first {
      if ASCII.lowercased(byte) == first, rest.hasPrefix(ignoringCase: name) {
        let value = rest.dropFirst("\(name)".utf8.count)
        if value.starts(with: "=\"".utf8) {
          let inner = value.dropFirst(2).prefix { $0 != UInt8(ascii: "\"") }
          let decoded = Charset.decode(Array(ASCII.trimmed(inner)))
          return decoded.isEmpty ? nil : decoded
        }
      }
      rest = rest.dropFirst()
    }
    return nil
  }

  /// Returns the index of the comma before the title: the first comma outside the attributes' quotes.
  private static func titleComma(_ text: ArraySlice<UInt8>) -> Int? {
    var isQuoted = false
    for (index, byte) in zip(text.indices, text) {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if byte == UInt8(ascii: ",") && !isQuoted { return index }
    }
    return text.firstIndex(of: UInt8(ascii: ","))
  }
}

/// Reads the numbers of playlists.
enum PlaylistNumber {
  /// Seconds with or without decimals; nil for anything else.
  static func seconds(_ text: ArraySlice<UInt8>) -> Double? {
    guard text.count <= 20,
      text.allSatisfy({ ASCII.isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") })
    else { return nil }
    return Double(String(decoding: text, as: UTF8.self))
  }
}
