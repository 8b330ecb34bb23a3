import ArgumentParser
import Longwave
import LongwaveAdmin

struct EventsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events", abstract: "Show events, a line each, until Ctrl-C.",
    discussion: """
      A broken connection is made again, and the events that the server still has of that time are shown; "missed"
      counts the others.

      EXAMPLES
        longwave events
        longwave events jazz --kinds state,metadata-live
        longwave events --session my-session_1 --kinds metadata,moved
        longwave events --json

      longwave help topics events explains each kind and its details.

      KINDS
        \(RelayEvent.Kind.allCases.map(\.rawValue).joined(separator: ", "))
      """)

  @Argument(help: "Only events of this station.", completion: .stations) var station: String?
  @Option(help: ArgumentHelp("Only these kinds, separated by commas.", valueName: "kinds"))
  var kinds: String?
  @Option(
    help: ArgumentHelp(
      "Also the titles and moves of this session.", valueName: "token"))
  var session: String?
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    let words = kinds.map { $0.split(separator: ",") }
    if words?.isEmpty == true {
      let known = RelayEvent.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--kinds: names none; write some of \(known)")
    }
  }

  func run() async throws {
    let (isJSON, times) = (output.isJSON, output.times)
    let client = try admin.client
    do {
      try await client.follow(station: station, kinds: kinds, session: session) { event in
        if isJSON {
          Terminal.print(event.text + "\n")
        } else {
          Terminal.write(Self.line(event, times))
        }
      }
    } catch let error as AdminError {
      throw error.named(["kinds": "--kinds", "session": "--session"])
    }
  }

  /// Returns an event's line: `2026-11-20 18:00:00.123  jazz  gap  seconds=2.5 cause=upstream-away`
  private static func line(_ event: JSON, _ times: ShownTimes) -> String {
    let members = event.members.filter {
      !["kind", "station", "time", "position"].contains($0.key) && $0.value != .null
    }
    let words = members.map { member in
      if case .string(let text) = member.value { return "\(member.key)=\(TerminalText.safe(text))" }
      return "\(member.key)=\(member.value.text)"
    }
    let time = event["time"] == nil ? [] : [times.text(event.text("time"), isExact: true)]
    let place = event["station"] == nil ? [] : [event.text("station")]
    let details = words.isEmpty ? [] : [words.joined(separator: " ")]
    let line = time + place + [event.text("kind")] + details
    return line.joined(separator: "  ")
  }
}
