import ArgumentParser
import Foundation
import Longwave

/// A long option that a command does not have. The parser looks for those last: what is missing because of a slip, and
/// what `validate` says about it, would hide the slip.
struct UnknownOption: Error, CustomStringConvertible {
  private let name: String
  private let meant: String?

  /// The words in which the parser tells it.
  var description: String {
    "Unknown option '--\(name)'" + (meant.map { ". Did you mean '--\($0)'?" } ?? "")
  }

  /// The first one among the words behind a command's name; nil: there is none.
  init?(in words: ArraySlice<String>, of command: any ParsableCommand.Type) {
    let arguments = HelpDump(of: command).arguments
    let named = arguments.flatMap { $0.names ?? [] }.filter { $0.kind == "long" }.map(\.name)
    // Only the program itself lists this one.
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

/// What the parser writes down about a command, as far as it is looked at.
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

    /// Its names as people write them.
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
