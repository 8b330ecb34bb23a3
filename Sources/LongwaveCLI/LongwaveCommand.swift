import ArgumentParser
import Foundation
import Longwave

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
      one whose certificate the system does not trust takes --server-ca-file FILE (LONGWAVE_CA_FILE).
      """,
    version: RelayVersion.number,
    subcommands: [
      ServeCommand.self, RelayCommand.self, DemoCommand.self, StationCommands.self,
      ListenerCommands.self, ClipCommand.self, RecordCommands.self, StatsCommand.self,
      EventsCommand.self, ConfigCommands.self, DoctorCommand.self, CompletionCommand.self,
    ])

  /// Runs a command; whatever goes wrong is one line on standard error.
  static func main() async {
    do {
      try refuseUnknownHelp()
      var command = try parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      end(with: error)
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

  /// The command that the first words name, and the words behind it.
  private static func path(
    of words: ArraySlice<String>
  ) -> (names: [String], rest: ArraySlice<String>) {
    var (names, rest) = (["longwave"], words.first == "help" ? words.dropFirst() : words)
    var commands = configuration.subcommands
    while let word = rest.first,
      let command = commands.first(where: { $0.configuration.commandName == word })
    {
      names.append(word)
      rest = rest.dropFirst()
      commands = command.configuration.subcommands
    }
    return (names, rest)
  }

  /// The parser would answer with the help of what it knows of such a path.
  private static func refuseUnknownHelp() throws {
    guard arguments.first == "help", let word = path(of: arguments).rest.first, !word.hasPrefix("-")
    else { return }
    throw ValidationError("Unknown subcommand '\(word)'")
  }
}
