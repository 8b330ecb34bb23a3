/// Rows of text in columns, fitted to the terminal by shortening the widest.
struct Table {
  private var rows: [[String]]
  /// Columns whose figures stand on the right.
  private let right: Set<Int>

  init(_ header: [String], right: Set<Int> = []) {
    rows = [header]
    self.right = right
  }

  mutating func add(_ row: [String]) { rows.append(row) }

  /// - Parameter width: nil for as wide as it is.
  func text(width: Int? = Terminal.width) -> String {
    let widths = fitted(to: width)
    return rows.map { line($0, widths) }.joined(separator: "\n")
  }

  private static let gap = 2
  private static let columnMin = 6

  private func fitted(to width: Int?) -> [Int] {
    var widths = (rows.first ?? []).indices.map { column in
      rows.map { $0[column].count }.max() ?? 0
    }
    guard let width else { return widths }
    while widths.reduce(0, +) + Self.gap * (widths.count - 1) > width {
      guard let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
        widths[widest] > Self.columnMin
      else { break }
      widths[widest] -= 1
    }
    return widths
  }

  private func line(_ row: [String], _ widths: [Int]) -> String {
    var line = ""
    for (column, cell) in row.enumerated() {
      let text = cell.count > widths[column] ? cell.prefix(widths[column] - 1) + "…" : cell[...]
      let blanks = String(repeating: " ", count: widths[column] - text.count)
      line += right.contains(column) ? blanks + text : text + blanks
      line += String(repeating: " ", count: Self.gap)
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}
