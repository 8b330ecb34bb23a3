import ArgumentParser
import Foundation
import Library
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

      longwave help topics lists the pages of the manual, and longwave help TOPIC shows one.
      """,
    version: BuildVersion.text,
    subcommands: [
      ServeCommand.self, RelayCommand.self, DemoCommand.self, StationCommands.self,
      ProgrammeCommands.self, PlaysCommand.self, ListenerCommands.self, ClipCommand.self,
      RecordCommands.self, LibraryCommands.self,
      CollectionCommands.self, FavouriteCommand.self, StatsCommand.self,
      DashboardCommand.self, EventsCommand.self, MeterCommand.self,
      WebhooksCommand.self,
      ConfigCommands.self, DoctorCommand.self,
      CompletionCommand.self,
    ])

  /// Runs a command; a failure is one line on standard error.
  static func main() async {
    // The relay calls itself so.
    if arguments == [TagChild.word] { return TagChild.run() }
    ProcessStart.prepare()
    if CommandLine.arguments.count < 2, !hasProcesses {
      Terminal.complain(
        "/proc is not mounted, so no argument can be read; mount it (mount -t proc proc /proc)"
      )
      Foundation.exit(EX_OSERR)
    }
    do {
      if arguments.first == "help",
        let text = try HelpTopic.text(
          for: arguments.dropFirst(), commands: names(below: Self.self),
          help: laidOut(helpMessage(columns: columnsUnwrapped)))
      {
        return Terminal.print(text)
      }
      try refuseUnknownCommand()
      var command = try parsed()
      if let completion = command as? CompletionCommand {
        return Terminal.print(completionScript(for: completion.shell) + "\n")
      }
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      leave(.success)
    } catch {
      end(with: error)
    }
  }

  /// Ends the process at once: threads that still read files would use what `exit` takes down.
  private static func leave(_ code: ExitCode) -> Never {
    fflush(nil)
    _exit(code.rawValue)
  }

  /// Whether the place is there from which Swift reads a program's arguments.
  private static var hasProcesses: Bool {
    FileManager.default.isReadableFile(atPath: "/proc/self/cmdline")
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

  /// The parser does not wrap its help to so many columns: `HelpText` does.
  private static let columnsUnwrapped = 10_000

  private static func laidOut(_ help: String) -> String {
    HelpText.wrapped(help, to: Terminal.columns)
  }

  private static func end(with error: any Error) -> Never {
    var code = exitCode(for: error)
    if code == .success {
      let text = laidOut(fullMessage(for: error, columns: columnsUnwrapped))
      Terminal.print(text.hasSuffix("\n") ? text : text + "\n")
      leave(.success)
    }
    var message = "\(error)"
    switch error {
    case _ where code == .validationFailure:
      message = self.message(for: error)
      if message.hasPrefix("Error: ") { message.removeFirst(7) }
      // The parser does not say what would be right where a number is wanted.
      if message.wholeMatch(of: /The value '[^']*' is invalid for '[^']*'/) != nil {
        message += "; write a whole number"
      }
      message = valueLikeOption(message) ?? message
    case let error as AdminError where error.isAboutValue: code = .validationFailure
    case let error as AdminError where error.isAbsent: code = .absent
    case let error as AdminError where error.isAboutConfiguration: code = .badConfiguration
    case is ConfigurationError: code = .badConfiguration
    default: break
    }
    if code == .validationFailure {
      message += " (see \(path(of: arguments).names.joined(separator: " ")) --help)"
    }
    if !(error is ExitCode) { Terminal.complain(message) }
    leave(code)
  }

  /// Returns what to say where the parser misses the value of an option because the value begins with a dash.
  private static func valueLikeOption(_ message: String) -> String? {
    guard let missing = message.wholeMatch(of: /Missing value for '((-[^ ']+)[^']*)'/),
      let place = arguments.lastIndex(of: String(missing.2)), place + 1 < arguments.endIndex,
      let value = arguments[place + 1].wholeMatch(of: /-[0-9.].*/)
    else { return nil }
    return "The value '\(value.0)' of '\(missing.1)' begins with a dash, as options do; write "
      + "\(missing.2)=\(value.0) if it is meant"
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

  /// Refuses an unknown command: the parser would call the word an argument, or show the help of the words before.
  private static func refuseUnknownCommand() throws {
    let (names, command, rest) = path(of: arguments)
    let known = Self.names(below: command)
    let isHelp = arguments.first == "help"
    guard let word = rest.first, !word.hasPrefix("-"), word != "help", isHelp || !known.isEmpty
    else { return }
    let place = names.count > 1 ? " of \(names.joined(separator: " "))" : ""
    let near = KeySuggestion.nearest(to: word, among: known)
    // Somebody may have left out the word before: `add` for `station add`.
    let outer = configuration.subcommands.first { Self.names(below: $0).contains(word) }
    let inner = near == nil ? outer : nil
    let meant = (near ?? inner?.configuration.commandName.map { "\($0) \(word)" }).map {
      "; did you mean \(((near == nil ? ["longwave"] : names) + [$0]).joined(separator: " "))?"
    }
    let all = known.isEmpty ? "leave it out" : "there are \(known.joined(separator: ", "))"
    let advice = meant ?? "; \(all)"
    throw ValidationError("There is no command '\(word)'\(place)\(advice)")
  }

  private static func names(below command: any ParsableCommand.Type) -> [String] {
    command.configuration.subcommands.compactMap { $0.configuration.commandName }
  }
}
