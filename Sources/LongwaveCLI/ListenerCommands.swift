import ArgumentParser
import Longwave
import LongwaveAdmin

struct ListenerCommands: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "listener",
    abstract: "List listeners, move them in time or to another station, ban addresses.",
    discussion: """
      EXAMPLES
        longwave listener list
        longwave listener list jazz --json
        longwave listener kick 17
        longwave listener move 17 rock
        longwave listener seek 17 --offset 5m
        longwave listener ban 17 --for 1h
      """,
    subcommands: [
      ListenerList.self, ListenerShow.self, ListenerKick.self, ListenerMove.self,
      ListenerSeek.self, ListenerPause.self, ListenerResume.self,
      ListenerBan.self, ListenerUnban.self, ListenerBans.self, ListenerForget.self,
    ])
}

struct ListenerList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the listeners.",
    discussion: "EXAMPLES\n  longwave listener list\n  longwave listener list jazz")

  @Argument(help: "Only listeners of this station.", completion: .stations) var station: String?
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let query = station.map { "?station=" + AdminClient.escaped($0) } ?? ""
    let json = try await admin.request("GET", AdminClient.path("listeners") + query)
    output.show(json) { Self.table($0.items("listeners")) }
  }

  private static func table(_ listeners: [JSON]) -> String {
    if listeners.isEmpty { return "nobody listens" }
    var table = Table([
      .id(isNumber: true), .whole("STATION", rank: 9), .whole("ADDRESS", rank: 8),
      .text("USER", rank: 2), .text("PLAYER", rank: 4), .figure("TIME", rank: 7),
      .figure("SENT", rank: 1), .figure("OFFSET", rank: 6), .figure("LAG", rank: 3),
      .state(rank: 5),
    ])
    for listener in listeners {
      table.add([
        listener.text("id"), listener.text("station"), listener.text("address"),
        listener.text("user"), listener.text("player"), listener.duration("seconds"),
        listener.bytes("bytes"),
        listener.duration("offset"), listener.duration("lag"), listener.text("state"),
      ])
    }
    return table.text(width: Terminal.width)
  }
}

struct ListenerShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show one listener.",
    discussion: "EXAMPLES\n  longwave listener show 17")

  @Argument(help: "The listener's number.") var id: Int
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let json = try await admin.request("GET", AdminClient.path("listeners", "\(id)"))
    output.show(json) { listener in
      let keys = ["id", "station", "address", "user", "player", "protocol", "state"]
      let lines =
        keys.map { ($0, listener.text($0)) } + [
          ("connected", listener.time("connectedAt", output.times)),
          ("time", listener.duration("seconds")), ("sent", listener.bytes("bytes")),
          ("offset", listener.duration("offset")), ("lag", listener.duration("lag")),
          ("hearing", listener.playing),
        ]
      return Page.text(lines, width: Terminal.width)
    }
  }
}

struct ListenerKick: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kick", abstract: "End a listener's connection.",
    discussion: "EXAMPLES\n  longwave listener kick 17")

  @Argument(help: "The listener's number.") var id: Int
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    _ = try await admin.request("DELETE", AdminClient.path("listeners", "\(id)"))
    output.show(["id": JSON(id)]) { _ in "kicked \(id)" }
  }
}

struct ListenerMove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move", abstract: "Move a listener to another station.",
    discussion: """
      The listener keeps its connection and hears the other station live. Both stations must have the same codec,
      since the player is set up for it.

      EXAMPLES
        longwave listener move 17 rock
      """)

  @Argument(help: "The listener's number.") var id: Int
  @Argument(help: "The station to move it to.", completion: .stations) var station: String
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let json = try await admin.request(
      "POST", AdminClient.path("listeners", "\(id)", "move"),
      body: ["station": .string(station)])
    output.show(json) { "\($0.text("id")): \($0.text("station"))" }
  }
}
