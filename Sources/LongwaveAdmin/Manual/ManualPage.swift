import Longwave

/// A page of the manual.
public struct ManualPage: Sendable {
  /// What the page is asked for by: `longwave help TOPIC`.
  public let topic: String
  /// Markdown.
  public let text: String

  /// The page in a line: its title, or its first sentence where the title only repeats the topic.
  public var summary: String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let title = lines.first.map { String($0.drop { "# ".contains($0) }) } ?? ""
    if title.lowercased() != topic { return title }
    let paragraph = lines.dropFirst().drop { $0.isEmpty }.prefix { !$0.isEmpty }
    let words = Self.withoutLinks(paragraph.joined(separator: " "))
    let end = words.firstRange(of: /[.;]\s/)?.lowerBound ?? words.endIndex
    return String(words[..<end].filter { $0 != "`" })
  }

  /// The page for a terminal: Markdown without the targets of links, with tables as columns.
  ///
  /// - Parameter columns: The width of all lines but those of code.
  public func shown(columns: Int = 80) -> String {
    var (shown, paragraph, table): ([String], [Substring], [[String]]) = ([], [], [])
    var isCode = false
    func close() {
      shown += ManualTable(table).lines(columns: columns)
      let indent = paragraph.first.map(Self.isItem) == true ? "  " : ""
      let words = paragraph.map { String($0).trimmed }.joined(separator: " ")
      if !words.isEmpty {
        shown += TextLines.wrapped(Self.withoutLinks(words), to: columns, indent: indent)
      }
      (paragraph, table) = ([], [])
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if !isCode, line.hasPrefix("|") {
        if table.isEmpty { close() }
        table.append(Self.cells(line))
        continue
      }
      let isFence = line.hasPrefix("```")
      if isCode || isFence || line.isEmpty || line.hasPrefix("#") || Self.isItem(line) { close() }
      if isFence { isCode.toggle() }
      if !isCode, line.hasPrefix("<!--") { continue }
      if isCode || isFence || line.isEmpty || line.hasPrefix("#") {
        shown.append(isCode ? String(line) : Self.withoutLinks(line))
      } else {
        if !table.isEmpty { close() }
        paragraph.append(line)
      }
    }
    close()
    while shown.last?.isEmpty == true { shown.removeLast() }
    return shown.joined(separator: "\n") + "\n"
  }

  /// Whether a line begins an entry of a list.
  private static func isItem(_ line: Substring) -> Bool {
    line.hasPrefix("- ") || line.prefixMatch(of: /\d+\.\s/) != nil
  }

  /// Parts a row of a table. A bar in backquotes is a bar.
  private static func cells(_ line: Substring) -> [String] {
    var (cells, cell): ([String], String) = ([], "")
    var isCode = false
    for character in line.dropFirst() {
      if character == "`" { isCode.toggle() }
      if character == "|", !isCode {
        cells.append(withoutLinks(cell.trimmed))
        cell = ""
      } else {
        cell.append(character)
      }
    }
    return cells
  }

  /// Leaves the words of links. Pages of the manual keep their topic, by which they are asked for here.
  private static func withoutLinks(_ text: some StringProtocol) -> String {
    String(text).replacing(/\[([^\]\[]+)\]\(([^)\s]+)\)/) { link in
      let words = String(link.1)
      guard let page = link.2.firstMatch(of: /(?:^|\/)([a-z]+)\.md$/), page.1 != words else {
        return words
      }
      return "\(words) (longwave help \(page.1))"
    }
  }
}
