import ArgumentParser
import Foundation
import Longwave
import LongwaveAdmin

/// A long option that a command does not have.
///
/// The parser reports unknown options last, so a missing value or a complaint of `validate` would hide the mistake.
struct UnknownOption: Error, CustomStringConvertible {
  private let name: String
  private let meant: String?

  /// The parser's own words for an unknown option, with a suggestion.
  var description: String {
    "Unknown option '--\(name)'" + (meant.map { ". Did you mean '--\($0)'?" } ?? "")
  }

  /// Finds the first unknown option among the words after a command's name; nil without one.
  init?(in words: ArraySlice<String>, of command: any ParsableCommand.Type) {
    let arguments = HelpDump(of: command).arguments
    let named = arguments.flatMap { $0.names ?? [] }.filter { $0.kind == "long" }.map(\.name)
    // Only the root command lists `version`.
    let known = named + ["version"]
    let withValue = Set(arguments.filter { $0.kind == "option" }.flatMap(\.words))
    var isValue = false
    for word in words {
      defer { isValue = !isValue && withValue.contains(word) }
      if isValue { continue }
      if word == "--" { return nil }
      guard word.hasPrefix("--") else { continue }
      let name = String(word.dropFirst(2).prefix { $0 != "=" })
      if known.contains(name) { continue }
      self.name = name
      meant = KeySuggestion.nearest(to: name, among: named)
      return
    }
    return nil
  }
}

/// The part of the parser's description of a command that is needed here.
private struct HelpDump: Decodable {
  struct Argument: Decodable {
    struct Name: Decodable {
      /// `long`, `short` or `longWithSingleDash`.
      var kind: String
      var name: String
    }

    /// `positional`, `option` or `flag`.
    var kind: String
    var names: [Name]?

    /// The names as the user writes them.
    var words: [String] {
      (names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }
    }
  }

  private struct Command: Decodable { var arguments: [Argument]? }

  private var command: Command
  var arguments: [Argument] { command.arguments ?? [] }

  init(of command: any ParsableCommand.Type) {
    let dump = try? JSONDecoder().decode(Self.self, from: Data(command._dumpHelp().utf8))
    self = dump ?? Self(command: Command())
  }

  private init(command: Command) { self.command = command }
}
