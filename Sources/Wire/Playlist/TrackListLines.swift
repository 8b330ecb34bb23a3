/// The lines of a list of files with their numbers, as they are: blanks at their ends may belong to a name.
struct TrackListLines: Sequence {
  struct Line {
    /// From 1.
    var number: Int
    var bytes: ArraySlice<UInt8>
  }

  /// The whole text in UTF-8 or the list's own charset, without a byte order mark.
  let text: ArraySlice<UInt8>
  /// Lines with something in them, by rising number.
  private let lines: [Line]

  /// Nil of bytes that are no text.
  init?(_ bytes: [UInt8]) {
    var text = bytes[...]
    if let plain = UTF16Text.utf8(bytes) { text = plain[...] }
    // 0x00 ends the texts of some programs, 0x1A those of DOS.
    let last = text.lastIndex { $0 != 0 && $0 != 0x1A }
    text = text[..<(last.map { $0 + 1 } ?? text.startIndex)]
    if PlaylistLines.isAudio(text) || text.contains(0) { return nil }
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    self.text = text
    var lines: [Line] = []
    var (number, start) = (1, text.startIndex)
    func end(at index: Int) {
      if text[start..<index].contains(where: { !ASCII.isBlank($0) }) {
        lines.append(Line(number: number, bytes: text[start..<index]))
      }
      start = index + 1
    }
    var before: UInt8 = 0
    for (index, byte) in zip(text.indices, text) {
      if byte == ASCII.lineFeed, before == ASCII.carriageReturn {
        start = index + 1
      } else if byte == ASCII.lineFeed || byte == ASCII.carriageReturn {
        end(at: index)
        number += 1
      }
      before = byte
    }
    end(at: text.endIndex)
    self.lines = lines
  }

  func makeIterator() -> IndexingIterator<[Line]> { lines.makeIterator() }

  var first: Line? { lines.first }

  /// Returns the number of the line in which an index of the text lies; 0 of one in none.
  func number(of index: Int) -> Int {
    var (low, high) = (0, lines.count)
    while low < high {
      let middle = (low + high) / 2
      if lines[middle].bytes.endIndex >= index { high = middle } else { low = middle + 1 }
    }
    return low < lines.count ? lines[low].number : 0
  }
}
