import ArgumentParser
import Longwave
import LongwaveAdmin

struct ListenerSeek: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seek", abstract: "Move a listener in time.",
    discussion: """
      The listener keeps its connection. A time older than the station's window means the oldest there is.

      EXAMPLES
        longwave listener seek 17 --offset 5m
        longwave listener seek 17 --at 2026-11-20T18:00:00Z
        longwave listener seek 17 --at 18:00
        longwave listener seek 17 --to previous-track
        longwave listener seek 17 --live
      """)

  @Argument(help: "The listener's number.") var id: Int
  @Option(help: "How far behind live: 90, 5m, 1h30m.") var offset: String?
  // A duration before now begins with a dash.
  @Option(
    parsing: .unconditional,
    help: "A moment: RFC 3339 with a zone, Unix seconds, 18:00 in the station's zone, or -10m.")
  var at: String?
  @Option(help: "track-start, previous-track or next-track, counted from the track being heard.")
  var to: String?
  @Flag(help: "Back to live.") var live = false
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    let given = [offset, at, to].count { $0 != nil } + (live ? 1 : 0)
    if given != 1 { throw ValidationError("give one of --offset, --at, --to and --live") }
  }

  func run() async throws {
    let body: JSON =
      if let offset {
        ["seconds": .string(offset)]
      } else if let at {
        ["at": .string(at)]
      } else {
        ["to": .string(to ?? "live")]
      }
    output.show(try await admin.steer(id, "seek", body)) { $0.place }
  }
}

struct ListenerPause: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause", abstract: "Pause a listener.",
    discussion: """
      The listener's place waits while the relay goes on storing the station. The player still plays its own buffer.

      EXAMPLES
        longwave listener pause 17
      """)

  @Argument(help: "The listener's number.") var id: Int
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    output.show(try await admin.steer(id, "pause")) { $0.place }
  }
}

struct ListenerResume: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Let a paused listener continue where it stopped.",
    discussion: "EXAMPLES\n  longwave listener resume 17")

  @Argument(help: "The listener's number.") var id: Int
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    output.show(try await admin.steer(id, "resume")) { $0.place }
  }
}

extension AdminOptions {
  fileprivate func steer(_ id: Int, _ verb: String, _ body: JSON? = nil) async throws -> JSON {
    try await request(
      "POST", AdminClient.path("listeners", "\(id)", verb), body: body,
      names: ["seconds": "--offset"])
  }
}

extension JSON {
  /// A listener's place, on one line.
  fileprivate var place: String {
    "\(text("id")): \(text("state")), \(duration("offset")) behind live, hearing \(playing)"
  }
}
