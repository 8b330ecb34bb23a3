import Longwave

/// Fills lines with words.
public enum TextLines {
  /// Returns a line as lines of at most `width` columns. A word that is longer, such as a URL, stays whole.
  ///
  /// - Parameter indent: What later lines begin with; nil for the blanks that the first one begins with.
  public static func wrapped(_ line: String, to width: Int?, indent: String? = nil) -> [String] {
    guard let width, TerminalText.width(line) > width else { return [line] }
    let first = String(line.prefix { $0 == " " })
    let indent = indent ?? first
    var lines: [String] = []
    var current = first
    var used = TerminalText.width(first)
    var isEmpty = true
    // Blanks between words of one line stay, as columns are made of them.
    for piece in pieces(of: line.dropFirst(first.count)) {
      let (blanks, word) = piece
      let columns = TerminalText.width(word)
      if !isEmpty, used + blanks.count + columns > width {
        lines.append(current)
        // A long word gets as much of the line as there is.
        let isLong = TerminalText.width(indent) + columns > width
        current = isLong ? String(indent.prefix(2)) : indent
        (used, isEmpty) = (TerminalText.width(current), true)
      }
      if !isEmpty {
        current += blanks
        used += blanks.count
      }
      current += word
      used += columns
      isEmpty = false
    }
    return lines + [current]
  }

  /// The words of a text, each with the blanks before it.
  private static func pieces(of text: Substring) -> [(String, String)] {
    var pieces: [(String, String)] = []
    var rest = text
    while !rest.isEmpty {
      let blanks = rest.prefix { $0 == " " }
      rest = rest.dropFirst(blanks.count)
      let word = rest.prefix { $0 != " " }
      rest = rest.dropFirst(word.count)
      if !word.isEmpty { pieces.append((String(blanks), String(word))) }
    }
    return pieces
  }
}

extension String {
  /// The text without blanks around it.
  public var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }

  /// The text without blanks at its end.
  var trimmedAtEnd: String {
    var text = Substring(self)
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
