import Longwave

/// A table of a page, as columns of words.
struct ManualTable {
  private let rows: [[String]]

  /// - Parameter rows: The rows of a Markdown table; the second one, which parts the header from the others, has no words.
  init(_ rows: [[String]]) {
    let columns = rows.map(\.count).max() ?? 0
    let isRule = { (row: [String]) in row.allSatisfy { $0.allSatisfy { "-: ".contains($0) } } }
    self.rows = rows.filter { !isRule($0) }.map { row in
      row + Array(repeating: "", count: columns - row.count)
    }
  }

  private static let gap = "  "
  private static let columnMin = 10

  /// Returns the table's lines; cells that are too wide go on below themselves.
  func lines(columns: Int) -> [String] {
    guard let header = rows.first else { return [] }
    let widths = fitted(to: columns)
    let rule = widths.map { String(repeating: "-", count: $0) }.joined(separator: Self.gap)
    let bodies = rows.dropFirst().map { lines(of: $0, widths) }
    // Rows of several lines are told apart by a line between them.
    let isLong = bodies.contains { $0.count > 1 }
    return lines(of: header, widths) + [rule] + bodies.joined(separator: isLong ? [""] : [])
  }

  private func fitted(to columns: Int) -> [Int] {
    var widths = (rows.first ?? []).indices.map { column in
      max(1, rows.map { TerminalText.width($0[column]) }.max() ?? 0)
    }
    var excess = widths.reduce(0, +) + Self.gap.count * (widths.count - 1) - columns
    while excess > 0 {
      let wide = widths.indices.filter { widths[$0] > Self.columnMin }
      guard let widest = wide.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }

  private func lines(of row: [String], _ widths: [Int]) -> [String] {
    let cells = zip(row, widths).map { Self.wrapped($0, to: $1) }
    return (0..<(cells.map(\.count).max() ?? 0)).map { number in
      var line = ""
      for (cell, width) in zip(cells, widths) {
        let text = number < cell.count ? cell[number] : ""
        line += text + String(repeating: " ", count: max(0, width - TerminalText.width(text)))
        line += Self.gap
      }
      return line.trimmedAtEnd
    }
  }

  /// Breaks a text between words, and words that are wider than the column where it ends.
  private static func wrapped(_ text: String, to width: Int) -> [String] {
    var (lines, line): ([String], String) = ([], "")
    for word in text.split(separator: " ") {
      var word = String(word)
      if !line.isEmpty, TerminalText.width(line) + 1 + TerminalText.width(word) > width {
        lines.append(line)
        line = ""
      }
      while TerminalText.width(word) > width {
        lines.append(String(word.prefix(width)))
        word.removeFirst(min(width, word.count))
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return lines + [line]
  }
}
