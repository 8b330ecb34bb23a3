import CManual
import Longwave

/// The manual's pages. They are part of the program, so that a package without documents has them.
public enum Manual {
  /// In order of their topics.
  public static let pages: [ManualPage] = {
    var pages: [ManualPage] = []
    while let page = cmanual_page_at(pages.count) {
      let bytes = UnsafeBufferPointer(start: page.pointee.bytes, count: page.pointee.count)
      pages.append(
        ManualPage(
          topic: String(cString: page.pointee.name), text: String(decoding: bytes, as: UTF8.self)))
    }
    return pages
  }()

  public static func page(on topic: String) -> ManualPage? { pages.first { $0.topic == topic } }

  /// The topics, each with what its page is about beside it.
  ///
  /// - Parameter columns: The width of all lines.
  public static func topics(columns: Int) -> String {
    let longest = (pages.map(\.topic.count).max() ?? 0) + 2
    let indent = String(repeating: " ", count: longest + 2)
    return pages.flatMap { page in
      let blanks = String(repeating: " ", count: longest - page.topic.count)
      return TextLines.wrapped(
        "  \(page.topic)\(blanks)\(page.summary)", to: columns, indent: indent)
    }.joined(separator: "\n")
  }

  /// Returns what is said of a word that is no topic: the one that is near, or where all are.
  ///
  /// - Parameter commands: Words that are no topics, and are understood in the same place.
  public static func advice(on word: String, besides commands: [String]) -> String {
    let near = KeySuggestion.nearest(to: word, among: pages.map(\.topic) + commands)
    let begun = pages.map(\.topic).filter { word.count > 2 && $0.hasPrefix(word) }
    let meant = near.map { [$0] } ?? begun
    if meant.isEmpty { return "longwave help topics lists the topics" }
    return "did you mean \(meant.joined(separator: " or "))?"
  }
}
