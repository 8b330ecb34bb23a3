import ArgumentParser
import Foundation
import Longwave
import LongwaveAdmin

struct StationHistory: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "List what a station has played, newest first.",
    discussion: """
      Each line says when a title began, how long it played, and what it was; - means that its audio is gone. The
      newest title is still playing.

      EXAMPLES
        longwave station history jazz
        longwave station history jazz --limit 5 --json
      """)

  @Argument(help: "The station.", completion: .stations) var id: String
  @Option(help: ArgumentHelp("How many titles: 1 to 1000.", valueName: "count"))
  var limit = 20
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let path = AdminClient.path("stations", id, "history") + "?limit=\(limit)"
    let json = try await admin.request("GET", path, names: ["limit": "--limit"])
    output.show(json) { Self.page($0, output.times) }
  }

  private static func page(_ json: JSON, _ times: ShownTimes) -> String {
    let table = table(json.items("history"), times)
    guard json.text("truncated") == "true" else { return table }
    return table + "\n\nMore was played: an answer has room for 1 MiB."
  }

  private static func table(_ titles: [JSON], _ times: ShownTimes) -> String {
    if titles.isEmpty { return "no titles yet" }
    var table = Table([
      .id("SINCE"), .figure("FOR", rank: 2), .whole("", rank: 1), .text("TITLE", rank: 9),
    ])
    for title in titles {
      let isThere = title.text("inWindow") == "true"
      let isPlaying = title.text("end") == "-"
      table.add([
        title.time("since", times), title.duration("seconds"),
        isPlaying ? "playing" : isThere ? "" : "-", title.titleLine,
      ])
    }
    return table.text(width: Terminal.width)
  }
}
