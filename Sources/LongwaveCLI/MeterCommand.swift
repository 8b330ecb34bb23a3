import ArgumentParser
import Foundation
import Longwave
import LongwaveAdmin

struct MeterCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "meter", abstract: "Show a station's levels, loudness and spectrum.",
    discussion: """
      A terminal shows a picture 20 times a second until q or Ctrl-C; a pipe gets a line a second.

      EXAMPLES
        longwave meter jazz
        longwave meter jazz --offset 10m
        longwave meter jazz --at 18:00
        longwave meter jazz --session my-session_1
        longwave meter jazz --once
      """)

  @Argument(help: "The station.", completion: .stations) var station: String
  @Option(help: ArgumentHelp("How far behind live, such as 10m.", valueName: "time"))
  var offset: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Measure from this time on, such as 18:00 or -10m.", valueName: "time"))
  var at: String?
  @Option(help: ArgumentHelp("Measure at the place of this session.", valueName: "token"))
  var session: String?
  @Flag(help: "Print one line, and end.") var once = false
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard [offset, at, session].compactMap(\.self).count <= 1 else {
      throw ValidationError("--offset, --at and --session exclude each other; give one of them")
    }
  }

  func run() async throws {
    let shown = try await admin.request("GET", AdminClient.path("stations", station))
    if shown.text("sound.state") == "unavailable" {
      throw CommandFailure("\(station): \(shown.text("sound.reason"))")
    }
    let meter = SharedMeter(station: station)
    let (client, isJSON, isOnce) = (try admin.client, output.isJSON, once)
    let isUTC = output.isUTC
    let path = AdminClient.path("stations", station)
    let screen = Terminal.isOutput && !isOnce && !isJSON ? Screen() : nil
    defer { screen?.close() }
    let (station, session) = (station, session)
    let further = [("offset", offset), ("at", at), ("rate", "20")]
    let outcome = await Self.first(of: [
      {
        try await client.follow(
          station: station, kinds: Self.kinds, session: session, further: further,
          onTrouble: { meter.note("\($0)") }
        ) { event in
          if isJSON { Terminal.print(event.text + "\n") }
          meter.receive(event)
        }
      },
      {
        // Where a server has none, no title is shown.
        while true {
          let path = AdminClient.path("stations", station, "timeline")
          meter.receive(timeline: (try? await client.request("GET", path)) ?? nil)
          try await Task.sleep(for: .seconds(10))
        }
      },
      {
        if let screen {
          let (isUnicode, hasColors) = (Terminal.isUnicode, Terminal.hasColors)
          return try await screen.show(every: .milliseconds(50)) { columns, rows in
            MeterPicture(
              width: columns, height: rows, isUnicode: isUnicode, hasColors: hasColors
            ).lines(meter.model)
          }
        }
        try await meter.firstLevels()
        if !isJSON { return try await Self.lines(meter, isOnce: isOnce, isUTC: isUTC) }
        while !isOnce { try await Task.sleep(for: .seconds(3600)) }
      },
      {
        try await Task.sleep(for: .seconds(Self.quiet))
        // A pipe that gets no line would not say why.
        if screen == nil, !isOnce, !meter.hasLevels {
          Terminal.complain("\(station): waiting for sound")
        }
        try await Task.sleep(for: .seconds(Self.patience - Self.quiet))
        while !isOnce || meter.hasLevels { try await Task.sleep(for: .seconds(3600)) }
        let shown = try await client.request("GET", path) ?? .null
        throw Self.nothing(of: station, shown, hasSession: session != nil)
      },
    ])
    do {
      try outcome.get()
    } catch let error as AdminError {
      throw error.named(["session": "--session", "offset": "--offset", "at": "--at"])
    }
  }

  /// Returns what came of the work that ended first. It waits for no other: the connection would end at its next piece
  /// only.
  private static func first(
    of works: [@Sendable () async throws -> Void]
  ) async -> Result<Void, any Error> {
    let (outcomes, ended) = AsyncStream.makeStream(of: Result<Void, any Error>.self)
    let tasks = works.map { work in
      Task {
        do {
          try await work()
          ended.yield(.success(()))
        } catch {
          ended.yield(.failure(error))
        }
      }
    }
    defer { for task in tasks { task.cancel() } }
    for await outcome in outcomes { return outcome }
    return .success(())
  }

  /// Seconds without a figure until that is said.
  private static let quiet = 3.0

  /// Seconds for which a single line is waited for.
  private static let patience = 10.0

  /// Says why nothing was measured.
  private static func nothing(of station: String, _ shown: JSON, hasSession: Bool) -> CommandFailure
  {
    let reason = shown.text("stateReason")
    let state = "the station is \(shown.text("state"))" + (reason.isEmpty ? "" : ": \(reason)")
    let listen = hasSession ? "; a session is measured while it listens" : ""
    return CommandFailure(
      "\(station): nothing to measure for \(Int(patience)) s; \(state)\(listen)")
  }

  private static let kinds =
    "levels,spectrum,state,metadata-live,silence-started,silence-stopped"

  /// Prints a line a second.
  private static func lines(_ meter: SharedMeter, isOnce: Bool, isUTC: Bool) async throws {
    let format = DateFormatter()
    format.dateFormat = "HH:mm:ss"
    if isUTC { format.timeZone = .gmt }
    while true {
      // Loudness needs some sound first.
      try await Task.sleep(for: .seconds(1))
      Terminal.write(format.string(from: Date()) + "  " + MeterPicture.line(meter.model))
      if isOnce { return }
    }
  }
}
