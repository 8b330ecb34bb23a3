import ArgumentParser
import Foundation

/// Measures what the fan-out costs beside stations whose sound is measured.
struct BesideCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "beside",
    abstract: "Many listeners of one station, beside others whose sound is measured.",
    discussion: """
      Longwave alone: first with listeners beside stations that are only pulled, then with a watcher of the levels and \
      spectrum of each, then with those and one listener. What the second takes beyond the third is what the listeners \
      cost beside the sound. Exit status 1: a listener saw an error, or a watcher was told too few levels.
      """)

  @Option(help: "Listeners.")
  var listeners = 5000
  @Option(help: "Stations whose sound is measured.")
  var stations = 50
  @OptionGroup var options: ComparisonOptions

  func validate() throws {
    try ComparisonOptions.check(listeners: listeners)
    guard (1...500).contains(stations) else { throw ValidationError("--stations takes 1 to 500") }
  }

  func run() throws {
    var pulled = options.settings(Audience(listeners: listeners))
    // Until the music's own burst has been taken in.
    pulled.warmUpSeconds = max(pulled.warmUpSeconds, 15)
    pulled.soundStations = stations
    var watched = pulled
    watched.areWatched = true
    var alone = watched
    alone.audience = Audience(listeners: 1)
    let names = ["\(listeners) listeners", "with \(stations) measured", "\(stations) measured"]
    var isLate = false
    let cases = zip(names, [pulled, watched, alone]).map {
      Comparison.Case(name: $0, server: options.longwave, settings: $1)
    }
    try Comparison(
      title: options.title("\(listeners) listeners beside \(stations) stations"), cases: cases,
      bases: []
    ).run(json: options.json) { rows in
      let figures = rows.compactMap(\.figures)
      isLate = figures.contains { SoundCommand.areFew($0.told, in: $0.windowSeconds) }
      return Self.lines(figures)
    }
    if isLate { throw ExitCode.failure }
  }

  private static func lines(_ rows: [RowFigures]) -> [String] {
    guard rows.count == 3, rows[0].serverCore > 0 else { return [] }
    let ratio = (rows[1].serverCore - rows[2].serverCore) / rows[0].serverCore
    return [
      "",
      "Beside the sound, the listeners take \(String(format: "%.3f", ratio)) of what they take without.",
      "", "| levels a second, least | longest gap |", "|---|---|",
    ] + rows.dropFirst().map { "| \(SoundCommand.columns($0.told, in: $0.windowSeconds)) |" }
  }
}
