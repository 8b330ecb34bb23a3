import ArgumentParser
import Longwave

struct StationCommands: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "station", abstract: "Add, show, change, start and stop stations.",
    discussion: """
      EXAMPLES
        longwave station add jazz https://example.org/jazz.pls http://backup.example.org/jazz.mp3
        longwave station list
        longwave station edit jazz --name "Jazz around the clock"
        longwave station stop jazz
        longwave station import stations.opml
      """,
    subcommands: [
      StationAdd.self, StationList.self, StationShow.self, StationEdit.self, StationRemove.self,
      StationStart.self, StationStop.self, StationRestart.self, StationImportCommand.self,
      StationExportCommand.self,
    ])
}

/// What a station may be told about itself.
struct StationDetails: ParsableArguments {
  @Option(help: "Its name; else what the upstream calls itself.") var name: String?
  @Option(help: "What it plays, for directories and players.") var genre: String?
  @Option(help: "A sentence about it.") var description: String?
  @Option(help: ArgumentHelp("Its web page.", valueName: "url")) var homepage: String?
  @Option(help: ArgumentHelp("Its picture.", valueName: "url")) var artwork: String?
  @Option(help: ArgumentHelp("How much past to keep.", valueName: "time")) var window: String?
  @Option(help: ArgumentHelp("How much is sent at once on joining.", valueName: "time"))
  var burst: String?
  @Option(
    help: ArgumentHelp("What a source must know that pushes (upstream push:).", valueName: "secret")
  )
  var sourcePassword: String?
  @Option(help: ArgumentHelp("A further path; may be given several times.", valueName: "path"))
  var mount: [String] = []

  var json: [JSON.Member] {
    let given = [
      ("name", name), ("genre", genre), ("description", description), ("homepage", homepage),
      ("artwork", artwork), ("window", window), ("burst", burst),
      ("sourcePassword", sourcePassword),
    ]
    var members = given.compactMap { key, value in
      value.map { JSON.Member(key: key, value: .string($0)) }
    }
    if !mount.isEmpty {
      members.append(.init(key: "mounts", value: .array(mount.map(JSON.string))))
    }
    return members
  }
}

struct StationAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a station; it survives restarts.",
    discussion: """
      EXAMPLES
        longwave station add jazz https://example.org/jazz.pls
        longwave station add jazz https://example.org/a http://backup.example.org/b --window 24h
        longwave station add live push: --source-password a-good-secret
      """)

  @Argument(help: "Its id: 1 to 64 of a-z 0-9 - _ .") var id: String
  @Argument(help: "One URL, or several: later ones are fallbacks.") var url: [String]
  @OptionGroup var details: StationDetails
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let members: [JSON.Member] = [
      .init(key: "id", value: .string(id)),
      .init(key: "upstream", value: .array(url.map(JSON.string))),
    ]
    let station = try await admin.request(
      "POST", AdminClient.path("stations"), body: .object(members + details.json))
    output.show(station) { "added \($0.text("id"))" }
  }
}

struct StationList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the stations.",
    discussion: "EXAMPLES\n  longwave station list\n  longwave station list --json")

  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let json = try await admin.request("GET", AdminClient.path("stations"))
    output.show(json) { StationViews.table($0.items("stations")) }
  }
}

struct StationShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a station with all its figures.",
    discussion: "EXAMPLES\n  longwave station show jazz")

  @Argument(help: "The station.") var id: String
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let json = try await admin.request("GET", AdminClient.path("stations", id))
    output.show(json, as: StationViews.page)
  }
}

struct StationEdit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change a station that was added by command.",
    discussion: """
      What is not named stays. A window changed from or to 0 is another one: it ends the listeners.

      EXAMPLES
        longwave station edit jazz --name "Jazz around the clock" --burst 8s
        longwave station edit jazz --upstream https://example.org/new
      """)

  @Argument(help: "The station.") var id: String
  @Option(help: ArgumentHelp("A new URL; may be given several times.", valueName: "url"))
  var upstream: [String] = []
  @OptionGroup var details: StationDetails
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if upstream.isEmpty, details.json.isEmpty {
      throw ValidationError("Say what to change, such as --name or --upstream")
    }
  }

  func run() async throws {
    var members = details.json
    if !upstream.isEmpty {
      members.append(.init(key: "upstream", value: .array(upstream.map(JSON.string))))
    }
    let station = try await admin.request(
      "PATCH", AdminClient.path("stations", id), body: .object(members))
    output.show(station) { "changed \($0.text("id"))" }
  }
}

struct StationRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a station and its time-shift window.",
    discussion: "EXAMPLES\n  longwave station remove jazz --yes")

  @Argument(help: "The station.") var id: String
  @Flag(help: "Do not ask.") var yes = false
  @OptionGroup var admin: AdminOptions

  func run() async throws {
    if !yes, Terminal.canAsk, !Terminal.ask("Remove \(id) and all it has stored?") {
      throw ExitCode.failure
    }
    _ = try await admin.request("DELETE", AdminClient.path("stations", id))
    Terminal.write("removed \(id)")
  }
}

/// What `start`, `stop` and `restart` have in common: a station, and its state afterwards.
struct StationCall: ParsableArguments {
  @Argument(help: "The station.") var id: String
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func perform(_ command: String) async throws {
    let json = try await admin.request("POST", AdminClient.path("stations", id, command))
    output.show(json) { "\($0.text("id")): \($0.text("state"))" }
  }
}

struct StationStart: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start", abstract: "Start a station that was stopped.",
    discussion: "EXAMPLES\n  longwave station start jazz")

  @OptionGroup var call: StationCall
  func run() async throws { try await call.perform("start") }
}

struct StationStop: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop", abstract: "Stop a station; it stays stopped over restarts.",
    discussion: "EXAMPLES\n  longwave station stop jazz")

  @OptionGroup var call: StationCall
  func run() async throws { try await call.perform("stop") }
}

struct StationRestart: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restart", abstract: "Connect a station to its upstream anew; listeners stay.",
    discussion: "EXAMPLES\n  longwave station restart jazz")

  @OptionGroup var call: StationCall
  func run() async throws { try await call.perform("restart") }
}
