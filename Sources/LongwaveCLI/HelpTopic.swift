import ArgumentParser
import LongwaveAdmin

/// `longwave help WORD` where the word is no command, and `longwave help topics`: pages of the manual.
enum HelpTopic {
  private static let list = "topics"

  /// Returns what to print for the words behind `help`; nil where they are about commands, which the parser shows.
  ///
  /// - Parameters:
  ///   - commands: The names of all commands.
  ///   - help: The help of the program itself.
  static func text(
    for words: ArraySlice<String>, commands: [String], help: @autoclosure () -> String
  ) throws -> String? {
    guard let word = words.first else {
      return help() + "\n\nTOPICS (longwave help TOPIC):\n\(topics)\n"
    }
    if word == list, words.count < 3 {
      guard let topic = words.dropFirst().first(where: { !$0.hasPrefix("-") }) else {
        let how =
          "longwave help TOPIC shows a page of the manual; longwave help topics TOPIC does also where a command has "
          + "the name."
        let lines = TextLines.wrapped(how, to: Terminal.columns)
        return lines.joined(separator: "\n") + "\n\n\(topics)\n"
      }
      return try page(on: topic)
    }
    if words.count > 1 || word.hasPrefix("-") || commands.contains(word) { return nil }
    return try page(on: word, or: commands + [list])
  }

  private static var topics: String { Manual.topics(columns: Terminal.columns) }

  private static func page(on topic: String, or commands: [String] = []) throws -> String {
    if let page = Manual.page(on: topic) { return page.shown(columns: Terminal.columns) }
    let advice = Manual.advice(on: topic, besides: commands)
    let what = commands.isEmpty ? "topic" : "command and no topic"
    throw ValidationError("There is no \(what) '\(topic)'; \(advice)")
  }
}
