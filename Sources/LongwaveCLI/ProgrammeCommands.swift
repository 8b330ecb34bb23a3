import ArgumentParser
import Foundation
import Longwave
import LongwaveAdmin

struct ProgrammeCommands: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "programme",
    abstract: "Show and steer what a station plays of music that is there.",
    discussion: """
      EXAMPLES
        longwave programme show night
        longwave programme next night
        longwave programme queue night /srv/music/wish.mp3 --at next
        longwave programme set night --order shuffle
        longwave programme plan night --from 18:00 --for 6h
      """,
    subcommands: [
      ProgrammeShow.self, ProgrammeNext.self, ProgrammePrevious.self, ProgrammeSkip.self,
      ProgrammeQueue.self, ProgrammeUnqueue.self, ProgrammeSet.self, ProgrammePlan.self,
    ])
}

/// The common part of the commands: a station, and how its programme is shown.
struct ProgrammeCall: ParsableArguments {
  @Argument(help: "The station.", completion: .stations) var id: String
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  fileprivate func request(
    _ method: String, _ body: JSON? = nil, names: [String: String] = [:]
  ) async throws -> JSON {
    try await admin.request(
      method, AdminClient.path("stations", id, "programme"), body: body, names: names)
  }

  /// Has another item played, and says which.
  fileprivate func move(_ body: JSON, _ word: String) async throws {
    let json = try await request("POST", body)
    output.show(json) { ProgrammeViews.moved($0, word) }
  }
}

struct ProgrammeShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show what a programme plays and what comes, and why.",
    discussion: "EXAMPLES\n  longwave programme show night\n  longwave programme show night --json")

  @OptionGroup var call: ProgrammeCall

  func run() async throws {
    let json = try await call.request("GET")
    var reason: String?
    if json["now"] == .null, !call.output.isJSON {
      let path = AdminClient.path("stations", call.id)
      reason = try await call.admin.request("GET", path).text("stateReason")
    }
    call.output.show(json) { ProgrammeViews.page($0, reason: reason, call.output.times) }
  }
}

struct ProgrammeNext: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "next", abstract: "Leave what plays for the next item, at once.",
    discussion: """
      Who listens live hears it when the player's buffer is over; the answer says when. Who listens in the past
      hears the past.

      EXAMPLES
        longwave programme next night
      """)

  @OptionGroup var call: ProgrammeCall
  func run() async throws { try await call.move(["action": "next"], "next on") }
}

struct ProgrammePrevious: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "previous",
    abstract: "Play the track before, or more than 3 s into a track that one again.",
    discussion: "EXAMPLES\n  longwave programme previous night")

  @OptionGroup var call: ProgrammeCall
  func run() async throws { try await call.move(["action": "previous"], "back on") }
}

struct ProgrammeSkip: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "skip", abstract: "Take out one of the items to come.",
    discussion: """
      Its number is that of `longwave programme show`. The item counts as played; the number of what plays leads to
      the next one.

      EXAMPLES
        longwave programme skip night 120
      """)

  @Argument(help: "The station.", completion: .stations) var id: String
  @Argument(help: "The item's number.") var item: Int
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let json = try await admin.request(
      "POST", AdminClient.path("stations", id, "programme"),
      body: ["action": "skip", "item": JSON(item)], names: ["item": "item"])
    output.show(json) { answer in
      if answer["heardAfter"] != .null { return ProgrammeViews.moved(answer, "next on") }
      return "took item \(item) out of \(id)"
    }
  }
}

struct ProgrammeQueue: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue", abstract: "Play tracks besides, in front of the order.",
    discussion: """
      A track is named by its 32 hexadecimal digits, or by its file's path on the relay's machine; the file lies in a
      folder that a programme plays, or in a root of the library. A collection's name stands for all of its tracks.
      Tracks play in the order in which they are named.

      EXAMPLES
        longwave programme queue night /srv/music/wish.mp3
        longwave programme queue night /srv/music/wish.mp3 --at next
        longwave programme queue night party
        longwave programme queue night /srv/music/news.mp3 --at 18:00
      """)

  @Argument(help: "The station.", completion: .stations) var id: String
  @Argument(help: "Tracks, files or collections.") var what: [String]
  @Option(
    help: ArgumentHelp(
      "Where: end of the queue, next, or a time such as 18:00. Default: end.", valueName: "place"))
  var at = "end"
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if what.isEmpty {
      throw ValidationError("Say what to queue: tracks, paths of files or collections")
    }
    if what.count > QueueRequest.tracksMax {
      throw ValidationError("A queue has \(QueueRequest.tracksMax) tracks; name fewer")
    }
  }

  func run() async throws {
    var answer: JSON = [:]
    let files = FileManager.default
    let all = QueueRequest.all(what, in: files.currentDirectoryPath) {
      files.fileExists(atPath: $0)
    }
    var sent = 0
    // Who comes last comes first.
    for request in at == "next" ? all.reversed() : all {
      do {
        answer = try await admin.request(
          "POST", AdminClient.path("stations", id, "programme"),
          body: .object([
            .init(key: "action", value: "queue"),
            .init(key: request.key, value: .array(request.values.map(JSON.string))),
            .init(key: "at", value: .string(at)),
          ]), names: [request.key: "what"])
      } catch let error as AdminError where sent > 0 {
        throw CommandFailure("\(error); \(sent) of \(what.count) were queued before that")
      }
      sent += request.values.count
    }
    let lists = all.filter { $0.key == "collection" }.flatMap(\.values)
    let tracks = what.count - lists.count
    let count = tracks == 0 ? [] : [tracks == 1 ? "1 track" : "\(tracks) tracks"]
    output.show(answer) { _ in "queued \((lists + count).joined(separator: ", ")) on \(id)" }
  }
}

struct ProgrammeUnqueue: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unqueue", abstract: "Take items out of the queue.",
    discussion: """
      EXAMPLES
        longwave programme unqueue night 121 122
        longwave programme unqueue night --clear
      """)

  @Argument(help: "The station.", completion: .stations) var id: String
  @Argument(help: "Numbers of items.") var items: [Int] = []
  @Flag(help: "Take all of them out.") var clear = false
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if items.isEmpty != clear { throw ValidationError("Give numbers of items, or --clear") }
  }

  func run() async throws {
    let body: JSON =
      clear
      ? ["action": "clear"] : ["action": "unqueue", "items": .array(items.map { JSON($0) })]
    let json = try await admin.request(
      "POST", AdminClient.path("stations", id, "programme"), body: body, names: ["items": "items"])
    output.show(json) { _ in
      clear
        ? "the queue of \(id) is empty"
        : "took \(items.count == 1 ? "1 item" : "\(items.count) items") out of \(id)"
    }
  }
}

struct ProgrammeSet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Change a programme's rules, until they are reset.",
    discussion: """
      The changes stand beside the station's definition, also where that is in the configuration file, and survive
      restarts. Without options the rules that hold are shown.

      EXAMPLES
        longwave programme set night --order shuffle --repeat all
        longwave programme set night --reset
      """)

  @Option(help: ArgumentHelp("sequence, shuffle or newest.", valueName: "word")) var order: String?
  @Option(
    name: .customLong("repeat"), help: ArgumentHelp("all, one or none.", valueName: "word"))
  var repeats: String?
  @Option(help: ArgumentHelp("cut, gapless or fade.", valueName: "word")) var join: String?
  @Option(help: ArgumentHelp("Length of a fade: 0.5s to 15s.", valueName: "duration"))
  var fade: String?
  @Flag(help: "First take back all changes.") var reset = false
  @OptionGroup var call: ProgrammeCall

  func run() async throws {
    let given = [("order", order), ("repeat", repeats), ("join", join), ("fade", fade)]
    let members = RuleChanges.keys.compactMap { key -> JSON.Member? in
      let value = given.first { $0.0 == key }?.1
      return value != nil || reset ? JSON.Member(key: key, value: JSON(value)) : nil
    }
    let json =
      members.isEmpty
      ? try await call.request("GET") : try await call.request("PATCH", .object(members))
    call.output.show(json) { ProgrammeViews.rules($0) }
  }
}

struct ProgrammePlan: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "List what would be on air in some time, if nothing changed.",
    discussion: """
      The last line counts what would go wrong: inserts that are missed, tracks too near to each other, silence.
      Nothing is changed by it.

      EXAMPLES
        longwave programme plan night
        longwave programme plan night --from 18:00 --for 6h
      """)

  @Option(help: ArgumentHelp("When it begins. Default: now.", valueName: "time")) var from: String?
  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("How long: 1s to 366d. Default: 24h.", valueName: "duration"))
  var length: String?
  @OptionGroup var call: ProgrammeCall

  func run() async throws {
    let path = AdminClient.path("stations", call.id, "programme", "plan")
    let json = try await call.admin.request(
      "GET", path + AdminClient.query([("from", from), ("for", length)]),
      names: ["from": "--from", "for": "--for"])
    call.output.show(json) { ProgrammeViews.plan($0, call.output.times) }
  }
}
