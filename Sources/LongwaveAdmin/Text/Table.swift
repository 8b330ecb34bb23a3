import Longwave

/// Rows of text in columns, fitted to a terminal: columns are shortened, then left out.
public struct Table {
  /// What happens to a column that has no room.
  public struct Column: Sendable {
    let title: String
    /// Whether its figures are aligned to the right.
    let isRight: Bool
    /// Whether it is never shortened: an id that is not whole is of no use.
    let isWhole: Bool
    /// Its place among the columns that give way; the lowest is shortened and left out first.
    let rank: Int
    /// Whether its words have colours.
    var hasColors = false

    /// Whether a table without the column says too little.
    fileprivate var isNeeded: Bool { rank >= 9 && rank < .max }

    /// A column of text.
    public static func text(_ title: String, rank: Int = 5) -> Column {
      Column(title: title, isRight: false, isWhole: false, rank: rank)
    }

    /// A column of texts that are whole or not shown.
    public static func whole(_ title: String, rank: Int = 5) -> Column {
      Column(title: title, isRight: false, isWhole: true, rank: rank)
    }

    /// A column of states, in their colours.
    public static func state(rank: Int = 5) -> Column {
      Column(title: "STATE", isRight: false, isWhole: true, rank: rank, hasColors: true)
    }

    /// A column of figures, whole or not shown.
    public static func figure(_ title: String, rank: Int = 5) -> Column {
      Column(title: title, isRight: true, isWhole: true, rank: rank)
    }

    /// A column that is always there, whole.
    public static func id(_ title: String = "ID", isNumber: Bool = false) -> Column {
      Column(title: title, isRight: isNumber, isWhole: true, rank: .max)
    }
  }

  private let columns: [Column]
  private var rows: [[String]]

  public init(_ columns: [Column]) {
    self.columns = columns
    rows = [columns.map(\.title)]
  }

  /// The colours of words in a column that says a state.
  private static let colors: [String: TerminalText.Color] = [
    "playing": .green, "recording": .green, "ok": .green, "connecting": .yellow,
    "buffering": .yellow, "waiting": .yellow, "retrying": .yellow, "failed": .red, "failing": .red,
  ]

  /// - Parameter row: As many texts as there are columns.
  public mutating func add(_ row: [String]) {
    rows.append(row.map { TerminalText.safe($0) })
  }

  /// - Parameter width: The columns of the terminal; nil shortens nothing, so that programs get every cell whole.
  public func text(width: Int?) -> String {
    let widths = fitted(to: width)
    if let width, columns.indices.contains(where: { columns[$0].isNeeded && widths[$0] == nil }) {
      return stacked(to: width)
    }
    return rows.map { line($0, widths) }.joined(separator: "\n")
  }

  /// Returns the ids on lines of their own, and below each what else fits.
  private func stacked(to width: Int) -> String {
    let ids = columns.indices.filter { columns[$0].rank == .max }
    let others = columns.indices.filter { columns[$0].rank < .max }
    var (left, right) = (Table(ids.map { columns[$0] }), Table(others.map { columns[$0] }))
    for row in rows.dropFirst() {
      left.add(ids.map { row[$0] })
      right.add(others.map { row[$0] })
    }
    let ahead = left.fitted(to: nil)
    let below = right.fitted(to: width - Self.gap)
    let blanks = String(repeating: " ", count: Self.gap)
    return rows.indices.flatMap { index in
      [left.line(left.rows[index], ahead), blanks + right.line(right.rows[index], below)]
    }.joined(separator: "\n")
  }

  private static let gap = 2
  private static let columnMin = 8

  /// Returns the columns' widths; nil for a column that is left out.
  private func fitted(to width: Int?) -> [Int?] {
    let natural = columns.indices.map { column in
      rows.map { TerminalText.width($0[column]) }.max() ?? 0
    }
    var shown = Array(columns.indices)
    guard let width else { return natural }
    while true {
      var widths = natural
      var excess = shown.reduce(-Self.gap) { $0 + widths[$1] + Self.gap } - width
      for column in shown.filter({ !columns[$0].isWhole }).sorted(by: gives) where excess > 0 {
        let less = max(0, min(excess, widths[column] - Self.columnMin))
        widths[column] -= less
        excess -= less
      }
      let last = shown.filter { columns[$0].rank < .max }.max(by: gives)
      guard excess > 0, let last, let out = shown.filter({ columns[$0].rank < .max }).min(by: gives)
      else { return columns.indices.map { shown.contains($0) ? widths[$0] : nil } }
      // One text beside the ids is left, with what room there is.
      if last == out, shown.count == 2, !columns[out].isWhole, widths[out] - excess > 3 {
        widths[out] -= excess
        return columns.indices.map { shown.contains($0) ? widths[$0] : nil }
      }
      shown.removeAll { $0 == out }
    }
  }

  private func gives(_ one: Int, before other: Int) -> Bool {
    (columns[one].rank, -one) < (columns[other].rank, -other)
  }

  private func line(_ row: [String], _ widths: [Int?]) -> String {
    var line = ""
    for (column, cell) in row.enumerated() {
      guard let width = widths[column] else { continue }
      let text = TerminalText.shortened(cell, to: width)
      let blanks = String(repeating: " ", count: max(0, width - TerminalText.width(text)))
      let color = columns[column].hasColors ? Self.colors[cell] : nil
      let shown = color.map { $0.marking(text) } ?? text
      line += columns[column].isRight ? blanks + shown : shown + blanks
      line += String(repeating: " ", count: Self.gap)
    }
    return line.trimmedAtEnd
  }
}
