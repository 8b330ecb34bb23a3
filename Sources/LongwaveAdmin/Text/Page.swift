/// Names and values, one below the other, fitted to a terminal.
public enum Page {
  private static let column = 13

  /// - Parameter width: The columns of the terminal; nil breaks no line.
  public static func text(_ rows: [(String, String)], width: Int?) -> String {
    let indent = String(repeating: " ", count: column)
    return rows.flatMap { name, value in
      let blanks = String(repeating: " ", count: max(1, column - name.count))
      return TextLines.wrapped(name + blanks + value, to: width, indent: indent)
    }.joined(separator: "\n")
  }
}
