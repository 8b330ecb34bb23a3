import Timeshift
import Wire

/// A program's last lines on standard error, and lines for the log, both bounded.
///
/// Most programs say what is wrong at the end, behind a page about themselves.
struct LastWords {
  /// The most lines of a summary, and the most bytes of them together.
  static let summaryLinesMax = 3
  static let summaryBytesMax = 300
  /// The most bytes of lines that are kept.
  static let bytesMax = 4096
  /// The most bytes of one line; the rest of it is left out.
  static let lineBytesMax = 1024
  /// The most lines that are told in a second.
  static let linesPerSecond = 10

  private var lines: [String] = []
  private var keptBytes = 0
  private var line: [UInt8] = []
  /// Whether the line ended in a carriage return: the next one replaces it, as on a terminal.
  private var isReplaced = false
  private var secondBeganAt: MonotonicTime?
  private var told = 0
  private var untold = 0

  /// Adds a piece, and returns the lines to tell.
  mutating func add(_ piece: Span<UInt8>, at now: MonotonicTime) -> [String] {
    var tellable: [String] = []
    for index in piece.indices {
      switch piece[index] {
      case UInt8(ascii: "\n"): if let text = endLine(at: now) { tellable.append(text) }
      case UInt8(ascii: "\r"): isReplaced = true
      case let byte:
        if isReplaced { line.removeAll(keepingCapacity: true) }
        isReplaced = false
        if line.count < Self.lineBytesMax { line.append(byte) }
      }
    }
    return tellable
  }

  /// The last lines, with the one that has no end yet; empty if nothing was written.
  var text: String { kept.joined(separator: "\n") }

  private var kept: [String] { (lines + [Self.text(line)]).filter { !$0.isEmpty } }

  /// The few lines at the end that say what was wrong: as many whole ones as have room, or what has room of the last.
  ///
  /// An indented line belongs to one above it, and says nothing where that one is left out.
  var summary: String {
    var room = Self.summaryBytesMax
    var last: [String] = []
    for line in kept.reversed().prefix(Self.summaryLinesMax) {
      let cut = String(decoding: UTF8Text.prefix(line, bytes: room), as: UTF8.self)
      if cut != line, !last.isEmpty { break }
      last.insert(cut, at: 0)
      room -= cut.utf8.count + 1
      if room <= 0 { break }
    }
    while last.count > 1, last[0].hasPrefix(" ") { last.removeFirst() }
    return last.joined(separator: "\n")
  }

  /// Removes and returns the kept lines that were not told, when no more are to come.
  mutating func popUntold() -> [String] {
    defer { untold = 0 }
    return lines.suffix(untold) + [Self.text(line)].filter { !$0.isEmpty }
  }

  /// Keeps a line. Returns it if it is to be told.
  private mutating func endLine(at now: MonotonicTime) -> String? {
    let text = Self.text(line)
    line.removeAll(keepingCapacity: true)
    isReplaced = false
    if text.isEmpty { return nil }
    lines.append(text)
    keptBytes += text.utf8.count + 1
    // Room is left for a line without an end.
    while keptBytes > Self.bytesMax - Self.lineBytesMax, lines.count > 1 {
      keptBytes -= lines.removeFirst().utf8.count + 1
    }
    return tellable(text, at: now)
  }

  private mutating func tellable(_ text: String, at now: MonotonicTime) -> String? {
    let isNextSecond = secondBeganAt.map { now.seconds(since: $0) >= 1 } ?? true
    if isNextSecond { (secondBeganAt, told) = (now, 0) }
    guard told < Self.linesPerSecond else {
      untold = untold.saturatingAdd(1)
      return nil
    }
    told += 1
    defer { untold = 0 }
    return untold == 0 ? text : "(\(untold) lines left out) \(text)"
  }

  /// Returns a line as text on one line: other bytes become blanks.
  private static func text(_ line: [UInt8]) -> String {
    let clean = line.map { $0 < 32 || $0 == 127 ? 32 : $0 }
    let text = String(decoding: clean, as: UTF8.self)
    // A damaged byte becomes three.
    return String(decoding: UTF8Text.prefix(text, bytes: lineBytesMax), as: UTF8.self)
  }
}
