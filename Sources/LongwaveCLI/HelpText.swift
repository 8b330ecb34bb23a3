import Longwave
import LongwaveAdmin

/// Lays out the parser's help for a terminal: paragraphs are filled once, and examples stay on one line each, so that
/// they can be copied.
enum HelpText {
  /// The parser's column of what an option is for.
  private static let column = 26

  /// - Parameter help: the parser's help, not wrapped.
  static func wrapped(_ help: String, to width: Int) -> String {
    // A version, or a description for programs.
    guard help.hasPrefix("OVERVIEW: ") || help.hasPrefix("USAGE: ") else { return help }
    var lines: [String] = []
    var paragraph = ""
    var isExamples = false
    func endParagraph() {
      if !paragraph.isEmpty { lines += TextLines.wrapped(paragraph, to: width) }
      paragraph = ""
    }
    for line in help.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      let bare = line.trimmed
      let isHeading = !bare.isEmpty && bare.allSatisfy { $0.isUppercase || $0.isWhitespace }
      let isTitle = line.wholeMatch(of: /[A-Z][A-Za-z ]*:.*/) != nil && line == bare
      let isOther = bare.isEmpty || isHeading || isTitle || isExamples || line.hasPrefix("  ")
      if isOther { endParagraph() }
      if isHeading {
        isExamples = bare == "EXAMPLES"
        lines.append(line)
      } else if bare.isEmpty || isExamples {
        isExamples = isExamples && !bare.isEmpty
        lines.append(line)
      } else if line.hasPrefix("USAGE: ") {
        lines += TextLines.wrapped(line, to: width, indent: "    ")
      } else if line.hasPrefix("  ") {
        lines += option(line, width)
      } else {
        paragraph += (paragraph.isEmpty ? "" : " ") + line
      }
    }
    endParagraph()
    return lines.joined(separator: "\n")
  }

  /// Returns the lines of an option: its names, and what it is for beside them or, on a narrow terminal, below.
  private static func option(_ line: String, _ width: Int) -> [String] {
    let head = line.prefix(column)
    let isNamed =
      "-<".contains(line.trimmed.first ?? " ") || line.dropFirst(column - 2).hasPrefix("  ")
    guard line.count > column, head.hasSuffix(" "), isNamed else {
      return TextLines.wrapped(line, to: width)
    }
    if TerminalText.width(line) <= width { return [line] }
    if width >= 60 {
      return TextLines.wrapped(line, to: width, indent: String(repeating: " ", count: column))
    }
    let names = String(head).trimmed
    let text = "      " + String(line.dropFirst(column)).trimmed
    return (names.isEmpty ? [] : ["  " + names]) + TextLines.wrapped(text, to: width)
  }
}
