import Longwave

/// Rows of text in columns, fitted to a terminal by shortening the widest column.
public struct Table {
  private var rows: [[String]]
  /// The columns whose figures are aligned to the right; they are never shortened.
  private let right: Set<Int>

  public init(_ header: [String], right: Set<Int> = []) {
    rows = [header]
    self.right = right
  }

  /// - Parameter row: As many texts as the header has.
  public mutating func add(_ row: [String]) {
    rows.append(row.map { TerminalText.safe($0) })
  }

  /// - Parameter width: The columns of the terminal; nil shortens nothing, so that programs get every cell whole.
  public func text(width: Int?) -> String {
    let widths = fitted(to: width)
    return rows.map { line($0, widths) }.joined(separator: "\n")
  }

  private static let gap = 2
  private static let columnMin = 6

  private func fitted(to width: Int?) -> [Int] {
    var widths = (rows.first ?? []).indices.map { column in
      rows.map { TerminalText.width($0[column]) }.max() ?? 0
    }
    guard let width else { return widths }
    var excess = widths.reduce(0, +) + Self.gap * (widths.count - 1) - width
    while excess > 0 {
      let texts = widths.indices.filter { !right.contains($0) && widths[$0] > Self.columnMin }
      guard let widest = texts.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }

  private func line(_ row: [String], _ widths: [Int]) -> String {
    var line = ""
    for (column, cell) in row.enumerated() {
      let text = TerminalText.shortened(cell, to: widths[column])
      let blanks = String(repeating: " ", count: widths[column] - TerminalText.width(text))
      line += right.contains(column) ? blanks + text : text + blanks
      line += String(repeating: " ", count: Self.gap)
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}
