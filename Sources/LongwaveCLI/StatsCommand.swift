import ArgumentParser
import Foundation
import Longwave
import LongwaveAdmin

struct StatsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats", abstract: "Show figures once, or as a live table.",
    discussion: """
      With --watch a terminal shows the figures until q or Ctrl-C, also over a restart of the server.

      EXAMPLES
        longwave stats
        longwave stats jazz --json
        longwave stats --watch
      """)

  @Argument(help: "Only this station.", completion: .stations) var station: String?
  @Flag(help: "Show the figures again every two seconds, until Ctrl-C.") var watch = false
  @OptionGroup var admin: AdminOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let source = StatsSource(
      client: try admin.client, station: station, hasStations: !output.isJSON)
    let first = try await source.figures()
    guard watch else { return print(first) }
    guard Terminal.isOutput, !output.isJSON else { return try await follow(source, from: first) }
    let stats = SharedStats(first)
    let screen = Screen()
    defer { screen.close() }
    let times = output.times
    let hasColors = Terminal.hasColors
    let asking = Task {
      while true {
        try await Task.sleep(for: .seconds(Self.pause))
        do { stats.receive(try await source.figures()) } catch { stats.note("\(error)") }
      }
    }
    defer { asking.cancel() }
    try await screen.show(every: .milliseconds(250)) { columns, rows in
      StatsPicture(figures: stats.figures, trouble: stats.trouble, times: times)
        .lines(columns: columns, rows: rows)
        .map { TerminalText.colored($0, hasColors: hasColors) }
    }
  }

  /// Seconds between two questions.
  private static let pause = 2.0

  private func print(_ figures: StatsFigures) {
    if output.isJSON {
      Terminal.print((figures.station ?? figures.stats).text + "\n")
    } else {
      let picture = StatsPicture(figures: figures, trouble: nil, times: output.times)
      Terminal.write(picture.text(width: Terminal.width))
    }
  }

  /// Prints the figures again and again; a server that is away is told once.
  private func follow(_ source: StatsSource, from first: StatsFigures) async throws {
    print(first)
    var isAway = false
    while true {
      try await Task.sleep(for: .seconds(Self.pause))
      do throws(AdminError) {
        print(try await source.figures())
        isAway = false
      } catch {
        if !isAway { Terminal.complain("\(error)") }
        isAway = true
      }
    }
  }
}
