import ArgumentParser
import Foundation
import Longwave
import LongwaveAdmin

@main
struct LongwaveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "longwave",
    abstract: "A relay for internet radio with time shift.",
    discussion: """
      EXAMPLES
        longwave demo                             hear it, without any network
        longwave relay https://example.org/jazz   relay one station now
        longwave serve --config longwave.yml      relay what a file says
        longwave station add jazz https://example.org/jazz.pls
        longwave listener list

      Times are written 90, 90s, 5m or 1h30m. Commands reach the server that uses the same data folder
      (--data, LONGWAVE_DATA), or another one by --server URL --token-file FILE (LONGWAVE_SERVER, LONGWAVE_TOKEN);
      --server-ca-file FILE (LONGWAVE_CA_FILE) names its certificate where the system does not trust it.
      """,
    version: RelayVersion.number,
    subcommands: [
      ServeCommand.self, RelayCommand.self, DemoCommand.self, StationCommands.self,
      ListenerCommands.self, ClipCommand.self, RecordCommands.self, StatsCommand.self,
      DashboardCommand.self, EventsCommand.self, MeterCommand.self,
      WebhooksCommand.self,
      ConfigCommands.self, DoctorCommand.self,
      CompletionCommand.self,
    ])

  /// Runs a command; a failure is one line on standard error.
  static func main() async {
    do {
      try refuseUnknownHelp()
      var command = try parsed()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      end(with: error)
    }
  }

  private static func parsed() throws -> any ParsableCommand {
    do {
      return try parseAsRoot()
    } catch  where exitCode(for: error) == .validationFailure {
      let (_, command, rest) = path(of: arguments)
      // A command with subcommands has a wrong subcommand, not a wrong option.
      guard command.configuration.subcommands.isEmpty,
        let unknown = UnknownOption(in: rest, of: command)
      else { throw error }
      throw ValidationError("\(unknown)")
    }
  }

  private static func end(with error: any Error) -> Never {
    var code = exitCode(for: error)
    if code == .success { exit(withError: error) }
    var message = "\(error)"
    if code == .validationFailure {
      message = self.message(for: error)
      if message.hasPrefix("Error: ") { message.removeFirst(7) }
    } else if let error = error as? AdminError, error.isAboutValue {
      code = .validationFailure
    }
    if code == .validationFailure {
      message += " (see \(path(of: arguments).names.joined(separator: " ")) --help)"
    }
    if !(error is ExitCode) { Terminal.complain(message) }
    Foundation.exit(code.rawValue)
  }

  private static var arguments: ArraySlice<String> { CommandLine.arguments.dropFirst() }

  /// Returns the command that the first words name, and the words after it.
  private static func path(
    of words: ArraySlice<String>
  ) -> (names: [String], command: any ParsableCommand.Type, rest: ArraySlice<String>) {
    var (names, rest) = (["longwave"], words.first == "help" ? words.dropFirst() : words)
    var command: any ParsableCommand.Type = Self.self
    while let word = rest.first,
      let next = command.configuration.subcommands.first(where: {
        $0.configuration.commandName == word
      })
    {
      names.append(word)
      rest = rest.dropFirst()
      command = next
    }
    return (names, command, rest)
  }

  /// Refuses `help` for an unknown command: the parser would show the help of the known part of the path.
  private static func refuseUnknownHelp() throws {
    guard arguments.first == "help", let word = path(of: arguments).rest.first, !word.hasPrefix("-")
    else { return }
    throw ValidationError("Unknown subcommand '\(word)'")
  }
}
