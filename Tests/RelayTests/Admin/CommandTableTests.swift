import Foundation
import Longwave
import TestSupport
import Testing

/// Holds the manual's table of commands to the program itself.
@Suite struct CommandTableTests {
  /// The program's commands by their words, `station add`, each with its long options.
  static func commands() async throws -> [String: Set<String>] {
    let dump = try await LongwaveProcess.command(["--experimental-dump-help"]).json
    var found: [String: Set<String>] = [:]
    func visit(_ command: JSON, _ path: [String]) {
      let children = (command["subcommands"]?.items ?? []).filter {
        $0["commandName"]?.string != "help"
      }
      for child in children { visit(child, path + [child["commandName"]?.string ?? ""]) }
      guard children.isEmpty else { return }
      let names = (command["arguments"]?.items ?? []).flatMap { $0["names"]?.items ?? [] }
      found[path.joined(separator: " ")] = Set(names.compactMap { $0["name"]?.string })
    }
    visit(dump["command"] ?? .null, [])
    return found
  }

  /// The rows of the table: the words of each command, and the options it names.
  private static func rows() throws -> [(command: String, options: [String])] {
    try Repository.text("Sources/Manual/commands.md").split(separator: "\n").compactMap { line in
      guard let match = line.firstMatch(of: /^\| `longwave ([a-z ]+?)(?: [A-Z…]+)*` \|/) else {
        return nil
      }
      return (String(match.1), line.matches(of: /`--([a-z-]+)/).map { String($0.1) })
    }
  }

  @Test func `the manual has every command, and no other`() async throws {
    let (commands, rows) = (try await Self.commands(), try Self.rows())
    #expect(commands.count > 30)
    #expect(rows.map(\.command).sorted() == commands.keys.sorted())
  }

  @Test func `the options that the manual names are the commands' own`() async throws {
    let commands = try await Self.commands()
    for row in try Self.rows() {
      for option in row.options {
        #expect(commands[row.command]?.contains(option) == true, "\(row.command) --\(option)")
      }
    }
  }
}
