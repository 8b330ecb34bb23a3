import ArgumentParser
import Foundation
import Longwave
import LongwaveAdmin

struct PlaysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plays", abstract: "List what programmes have played, and how many listened.",
    discussion: """
      The newest comes first. A time is a moment such as 2026-11-20T18:00:00Z, 18:00 (the last, in the station's time
      zone), or -24h: a day ago. --csv writes all of it as a table for reports, however much it is.

      EXAMPLES
        longwave plays night
        longwave plays --from -24h --limit 1000
        longwave plays night --from 2026-11-01T00:00:00Z --to 2026-12-01T00:00:00Z --csv -o november.csv
      """)

  @Argument(help: "Only this station.", completion: .stations) var station: String?
  // A duration before now begins with a dash.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only what began at this time or later.", valueName: "time"))
  var from: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only what began before this time.", valueName: "time"))
  var to: String?
  @Option(help: ArgumentHelp("How many: 1 to 1000. Default: 100.", valueName: "count"))
  var limit: Int?
  @Flag(help: "Write all of it as CSV, with a head.") var csv = false
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("File for the CSV. Default: standard output.", valueName: "file"))
  var output: String?
  @OptionGroup var admin: AdminOptions
  @OptionGroup var shown: OutputOptions

  private static let names = [
    "station": "station", "from": "--from", "to": "--to", "limit": "--limit",
  ]

  func validate() throws {
    if output != nil, !csv { throw ValidationError("-o is for CSV: add --csv") }
    if csv, shown.isJSON {
      throw ValidationError("--csv and --json are two forms: name one of them")
    }
    if limit != nil, csv { throw ValidationError("--csv writes all of it: leave --limit out") }
  }

  func run() async throws {
    let query = PlaysQuery(station: station, from: from, to: to)
    guard csv else {
      let json = try await admin.request("GET", query.path(limit: limit), names: Self.names)
      return shown.show(json) { Self.page($0, shown.times) }
    }
    let client = try admin.client
    do {
      guard let output else { return try await client.csv(of: query) { Terminal.print($0) } }
      let file = try OutputFile(output)
      do {
        try await client.csv(of: query) { try file.write($0) }
        try file.finish()
      } catch {
        file.discard()
        throw error
      }
    } catch let error as AdminError {
      throw error.named(Self.names)
    }
  }

  private static func page(_ json: JSON, _ times: ShownTimes) -> String {
    let plays = json.items("plays")
    if plays.isEmpty { return "nothing was played then" }
    var table = Table([
      .id("AT"), .id("STATION"), .text("TITLE", rank: 9), .figure("PLAYED", rank: 5),
      .figure("LISTENERS", rank: 4), .whole("", rank: 2),
    ])
    for play in plays {
      table.add([
        play.time("at", times), play.text("station"), play.titleLine,
        play.number("seconds").map(HumanText.clock) ?? "-", play.text("listeners"),
        play.text("whole") == "true" ? "" : "left early",
      ])
    }
    let text = table.text(width: Terminal.width)
    return json.text("next") == "-"
      ? text : text + "\n\nMore was played: name a time with --to, or write all of it with --csv."
  }
}
