/// Text for a terminal: its width in columns, and its form without sequences that command the terminal.
package enum TerminalText {
  /// Returns the text with every control character replaced, so that a name or a title cannot move the cursor, change
  /// the window's title or answer for the user.
  ///
  /// Tabs and line ends become blanks. Other controls (C0, DEL, C1) and characters that turn the direction of writing
  /// become U+FFFD.
  ///
  /// - Parameters:
  ///   - keepingLines: whether line feeds stay.
  ///   - keepingColors: whether the marks of colours stay.
  package static func safe(
    _ text: String, keepingLines: Bool = false, keepingColors: Bool = false
  ) -> String {
    guard text.unicodeScalars.contains(where: isHarmful) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n" where keepingLines: result.append(scalar)
      case _ where keepingColors && Color.marks.contains(scalar.value): result.append(scalar)
      case "\t", "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": result.append(" ")
      case _ where isHarmful(scalar): result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // C0; DEL and C1, which some terminals interpret as ESC sequences.
    case 0..<0x20, 0x7F...0x9F: true
    // Line and paragraph separators; embeddings, overrides and isolates (UAX #9).
    case 0x2028...0x202E, 0x2066...0x2069: true
    case _ where Color.marks.contains(scalar.value): true
    default: false
    }
  }

  /// Colours of words, marked by noncharacters until it is known whether the terminal has colours.
  package enum Color: UInt32, Sendable {
    case red = 0xFDD1
    case green = 0xFDD2
    case yellow = 0xFDD3

    fileprivate static let marks: ClosedRange<UInt32> = 0xFDD0...0xFDD3
    fileprivate static let end = marks.lowerBound

    /// Returns a text with the marks around it.
    package func marking(_ text: String) -> String {
      Self.mark(rawValue) + text + Self.mark(Self.end)
    }

    private static func mark(_ value: UInt32) -> String {
      Unicode.Scalar(value).map { String(Character($0)) } ?? ""
    }
  }

  /// Returns a text whose marks have become sequences of ECMA-48, or nothing.
  package static func colored(_ text: String, hasColors: Bool) -> String {
    guard text.unicodeScalars.contains(where: { Color.marks.contains($0.value) }) else {
      return text
    }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      guard Color.marks.contains(scalar.value) else {
        result.append(scalar)
        continue
      }
      let number = scalar.value - Color.end
      let digit = number == 0 ? "0" : "3\(number)"
      if hasColors { result.append(contentsOf: "\u{1B}[\(digit)m".unicodeScalars) }
    }
    return String(result)
  }

  /// Returns the number of columns that the text needs on a terminal.
  package static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  /// Returns the text unchanged, or shortened to at most `columns` with `…` at its end.
  package static func shortened(_ text: String, to columns: Int) -> String {
    guard width(text) > columns else { return text }
    var result = ""
    var used = 1
    for character in text {
      used += width(character)
      if used > columns { break }
      result.append(character)
    }
    return columns > 0 ? result + "…" : ""
  }

  /// Returns 0, 1 or 2: the columns of scalars that are shown as one character.
  private static func width(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    // VARIATION SELECTOR-16 asks for the emoji picture.
    if scalars.contains("\u{FE0F}") { return 2 }
    return scalars.lazy.map(width).max() ?? 0
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    if Color.marks.contains(scalar.value) { return 0 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    return scalar.properties.isEmojiPresentation || isWide(scalar.value) ? 2 : 1
  }

  /// Whether a scalar is East Asian Wide or Fullwidth (UAX #11), by whole blocks.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF,
      0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
      0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
      0x1F200...0x1F2FF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
