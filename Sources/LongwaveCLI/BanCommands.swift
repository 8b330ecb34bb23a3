import ArgumentParser
import Longwave
import LongwaveAdmin

struct ListenerBan: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ban", abstract: "Ban an address and end its listeners.",
    discussion: """
      A number names a listener and means its address. Without --for the ban never ends. A ban survives restarts and
      replaces an older one on the same addresses.

      EXAMPLES
        longwave listener ban 17 --for 1h
        longwave listener ban 203.0.113.7 --reason "a hundred connections"
        longwave listener ban 203.0.113.0/24 --for 7d
      """)

  @Argument(help: ArgumentHelp("A listener, an address or a range.", valueName: "id|address"))
  var whom: String
  @Option(name: .customLong("for"), help: ArgumentHelp("Length of the ban.", valueName: "duration"))
  var duration: String?
  @Option(help: "The reason, shown in the list of bans.") var reason: String?
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let listener = Int64(whom)
    let body: JSON = [
      "listener": JSON(listener), "address": JSON(listener == nil ? whom : nil),
      "seconds": JSON(duration), "reason": JSON(reason),
    ]
    let json = try await admin.request(
      "POST", AdminClient.path("bans"), body: body,
      names: ["seconds": "--for", "listener": "listener", "address": "address"])
    output.show(json) { ban in
      let until = ban.time("until", output.times)
      let end = until == "-" ? "" : " until \(until)"
      return "\(ban.text("id")): \(ban.text("address")) is banned\(end)"
    }
  }
}

struct ListenerUnban: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unban", abstract: "Lift a ban.",
    discussion: """
      EXAMPLES
        longwave listener unban 3
        longwave listener unban 203.0.113.0/24
      """)

  @Argument(
    help: ArgumentHelp(
      "The ban's number, or its address as `listener bans` shows it.", valueName: "id|address"))
  var which: String
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  private var id: Int64? { Int64(which) }

  func validate() throws {
    if id != nil || AdminClient.bannedAddress(which) != nil { return }
    throw ValidationError("\"\(which)\" is neither the number of a ban nor an address")
  }

  func run() async throws {
    let (key, value) =
      id.map { ("id", "\($0)") } ?? ("address", AdminClient.bannedAddress(which) ?? which)
    let bans = try await admin.request("GET", AdminClient.path("bans")).items("bans")
    guard let ban = bans.first(where: { $0.text(key) == value }) else {
      throw CommandFailure(
        "There is no ban \(which); `longwave listener bans` lists the bans.")
    }
    _ = try await admin.request("DELETE", AdminClient.path("bans", ban.text("id")))
    output.show(ban) { "\($0.text("address")) is banned no longer" }
  }
}

struct ListenerBans: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bans", abstract: "List the bans.",
    discussion: "EXAMPLES\n  longwave listener bans\n  longwave listener bans --json")

  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let json = try await admin.request("GET", AdminClient.path("bans"))
    output.show(json) { Self.table($0.items("bans"), output.times) }
  }

  private static func table(_ bans: [JSON], _ times: ShownTimes) -> String {
    if bans.isEmpty { return "nobody is banned" }
    var table = Table([
      .id(isNumber: true), .id("ADDRESS"), .whole("SINCE", rank: 1), .whole("UNTIL", rank: 3),
      .text("REASON", rank: 2),
    ])
    for ban in bans {
      table.add([
        ban.text("id"), ban.text("address"), ban.time("createdAt", times), ban.time("until", times),
        ban.text("reason"),
      ])
    }
    return table.text(width: Terminal.width)
  }
}
