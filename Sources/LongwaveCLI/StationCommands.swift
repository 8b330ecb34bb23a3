import ArgumentParser
import Longwave
import LongwaveAdmin

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
      StationAdd.self, StationList.self, StationShow.self, StationHistory.self,
      StationAnnounce.self, StationEdit.self,
      StationRemove.self,
      StationStart.self, StationStop.self, StationRestart.self, StationImportCommand.self,
      StationExportCommand.self,
    ])
}

struct StationAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a station; it survives restarts.",
    discussion: """
      EXAMPLES
        longwave station add jazz https://example.org/jazz.pls
        longwave station add jazz https://example.org/a http://backup.example.org/b --window 24h
        longwave station add live push: --source-password-file -
        longwave station add jazz-west --of jazz --delay 3h
        longwave station add jazz-64 --of jazz --encode 64
        longwave station add shows --files /srv/shows
        longwave station add night --folder /srv/music --shuffle
        longwave station add hits --play hits --shuffle
        longwave station add night https://example.org/n --on-demand --title-pattern '{artist} - {title}'
      """)

  @Argument(help: "The station's id: 1 to 64 of a-z 0-9 - _ .") var id: String
  @Argument(
    help:
      "One or more URLs: later ones are tried if earlier ones fail. None with --of, --files, --folder or --play."
  )
  var url: [String] = []
  @OptionGroup(title: "What it plays of music that is there") var programme: StationProgramme
  @OptionGroup var options: StationOptions
  @OptionGroup var admin: StationAdminOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if url.contains(where: { $0.hasPrefix("alsa:") }) {
      throw ValidationError(
        "alsa: records on the relay's machine, so it is taken from the configuration file only; "
          + "write the station there")
    }
    try options.pulling.validateCopy(besides: url)
  }

  func run() async throws {
    let upstream = JSON.Member(key: "upstream", value: .array(url.map(JSON.string)))
    let members = [JSON.Member(key: "id", value: .string(id))] + (url.isEmpty ? [] : [upstream])
    let body = JSON.object(members + programme.members + (try options.json()))
    let station = try await admin.request(
      "POST", AdminClient.path("stations"), body: body,
      names: StationOptions.names(of: body).merging(["id": "id", "upstream": "url"]) { $1 }
        .merging(programme.names) { $1 })
    output.show(station) { "added \($0.text("id"))" }
    for note in url.compactMap(UpstreamNote.hls) { Terminal.complain(note) }
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
    commandName: "show", abstract: "Show a station with its main figures; --json has all.",
    discussion: "EXAMPLES\n  longwave station show jazz")

  @Argument(help: "The station.", completion: .stations) var id: String
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let json = try await admin.request("GET", AdminClient.path("stations", id))
    output.show(json) { StationViews.page($0, output.times) }
  }
}

struct StationEdit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change a station that was added by command.",
    discussion: """
      Keys that are not named stay; a list that is named replaces the old list. Changing the window from or to 0 makes
      a new window and ends the listeners.

      EXAMPLES
        longwave station edit jazz --name "Jazz around the clock" --burst 8s
        longwave station edit jazz --upstream https://example.org/new
        longwave station edit jazz --on-demand --run-on 5m --unset homepage
      """)

  @Argument(help: "The station.", completion: .stations) var id: String
  @Option(help: ArgumentHelp("A new URL; may be given several times.", valueName: "url"))
  var upstream: [String] = []
  @Option(
    help: ArgumentHelp(
      "A key to remove, such as homepage, so that its default applies; may be given several times.",
      valueName: "key"))
  var unset: [String] = []
  @OptionGroup var options: StationOptions
  @OptionGroup var admin: StationAdminOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if upstream.isEmpty, options.isEmpty, unset.isEmpty {
      throw ValidationError("Say what to change, such as --name or --upstream")
    }
    let (given, names) = (options.keys, StationOptions.names(of: .object([])))
    do {
      for key in unset {
        let inner = try StationDefinition.bodyKey(key)
        guard given.contains(inner) else { continue }
        let option = names[inner] ?? "--\(key)"
        throw ValidationError(
          "--unset \(key) and \(option) exclude each other; give one of them")
      }
    } catch let error as StationDefinition.InvalidKey {
      throw ValidationError("\(error)")
    }
  }

  func run() async throws {
    let body = try await whole(try body())
    let station = try await admin.request(
      "PATCH", AdminClient.path("stations", id), body: body,
      names: StationOptions.names(of: body))
    output.show(station) { "changed \($0.text("id"))" }
  }

  /// Returns the body with the keys of sections that are not named: a request replaces a section as a whole.
  private func whole(_ body: JSON) async throws -> JSON {
    let sections = Set(KeyOption.all.compactMap(\.section))
    let isWhole = body.members.allSatisfy {
      !sections.contains($0.key) || $0.value == .bool(false) || $0.value == .null
    }
    if isWhole { return body }
    let known = try await admin.request("GET", AdminClient.path("definitions")).items("stations")
      .first { $0["id"] == .string(id) }
    return .object(
      body.members.map { member in
        guard sections.contains(member.key), member.value != .bool(false), member.value != .null,
          case .object(let old)? = known?[member.key]
        else { return member }
        let new = member.value.members
        let kept = old.filter { old in old.value != .null && !new.contains { $0.key == old.key } }
        return JSON.Member(key: member.key, value: .object(kept + new))
      })
  }

  // The loop is in a function of its own, since Swift 6.3's optimiser fails on it inside `run`.
  private func body() throws -> JSON {
    var members = try options.json()
    for key in Set(unset).sorted() {
      members.append(.init(key: try StationDefinition.bodyKey(key), value: nil))
    }
    if !upstream.isEmpty {
      members.append(.init(key: "upstream", value: .array(upstream.map(JSON.string))))
    }
    return .object(members)
  }
}

struct StationRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a station and its time-shift window.",
    discussion: "EXAMPLES\n  longwave station remove jazz --yes")

  @Argument(help: "The station.", completion: .stations) var id: String
  @Flag(help: "Do not ask for confirmation.") var yes = false
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    if !yes {
      guard Terminal.canAsk else {
        throw ValidationError(
          "There is no terminal to ask on; give --yes to remove \(id) and all it has stored")
      }
      if !Terminal.ask("Remove \(id) and all it has stored?") { throw ExitCode.failure }
    }
    _ = try await admin.request("DELETE", AdminClient.path("stations", id))
    output.show(["id": .string(id)]) { _ in "removed \(id)" }
  }
}

/// The common part of `start`, `stop` and `restart`: a station, and its state afterwards.
struct StationCall: ParsableArguments {
  @Argument(help: "The station.", completion: .stations) var id: String
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
