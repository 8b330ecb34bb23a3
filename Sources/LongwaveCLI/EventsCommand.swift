import ArgumentParser
import Longwave

struct EventsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events", abstract: "Show what happens, a line each, until Ctrl-C.",
    discussion: """
      A connection that breaks is made again, and what happened meanwhile is shown as far as the server still has it.

      EXAMPLES
        longwave events
        longwave events jazz --kinds state,metadata-live
        longwave events --json
      """)

  @Argument(help: "Only this station's.", completion: .stations) var station: String?
  @Option(help: ArgumentHelp("Only these kinds, with commas between them.", valueName: "kinds"))
  var kinds: String?
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let isJSON = output.isJSON
    let client = try admin.client
    do {
      try await client.follow(station: station, kinds: kinds) { event in
        if isJSON { Terminal.print(event.text + "\n") } else { Terminal.write(Self.line(event)) }
      }
    } catch let error as AdminError {
      throw error.named(["kinds": "--kinds"])
    }
  }

  /// `2026-11-20T18:00:00.123Z  jazz  gap  seconds=2.5 cause=upstream-away`
  private static func line(_ event: JSON) -> String {
    let details = event.members.filter {
      !["kind", "station", "time", "position"].contains($0.key) && $0.value != .null
    }
    let words = details.map { member in
      if case .string(let text) = member.value { return "\(member.key)=\(TerminalText.safe(text))" }
      return "\(member.key)=\(member.value.text)"
    }
    return
      ([event.text("time"), event.text("station"), event.text("kind")]
      + (words.isEmpty ? [] : [words.joined(separator: " ")])).joined(separator: "  ")
  }
}
