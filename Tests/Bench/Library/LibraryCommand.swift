import ArgumentParser
import Foundation
import Reactor
import TestSupport

/// Measures what looking through music and playing it by programmes costs.
struct LibraryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "library",
    abstract:
      "Music that is there: scans, programmes and their joins, beside MPD, Liquidsoap, ezstream.",
    discussion: """
      Each row has a table of its own, with the ratios to reach below it. Servers run on core 0; those that a row \
      compares run at the same time, or in turn. All rows take a quarter of an hour, and 1.5 GB for music. A row \
      that the relay has no configuration or command for yet says so. Exit status 1: audio of ours was late, or files \
      were lost.
      """)

  @Option(help: "Which rows, by commas. Default: all of \(LibraryRows.names).")
  var rows = LibraryRows.names
  @Option(help: "Stations of the rows pass, join and memory.")
  var stations = 20
  @Option(help: "Length of the measured window of pass, in seconds.")
  var seconds = 60.0
  @Option(help: "Files of the first scan.")
  var files = 4000
  @Option(help: "Unchanged files that are looked at.")
  var unchanged = 100_000
  @Option(help: "Files of the folder for which a station is added.")
  var added = 10_000
  @Option(help: "Programmes beside listeners.")
  var programmes = 100
  @Option(help: "Listeners beside programmes.")
  var listeners = 5000
  @Option(help: "Where music is made and kept for the next run. Default: a folder for this run.")
  var music: String?
  @Option(name: .customLong("longwave"), help: "The longwave binary. Default: beside this one.")
  var longwavePath: String?

  func validate() throws {
    for name in rows.split(separator: ",") where LibraryRows.all[String(name)] == nil {
      throw ValidationError("--rows does not know \"\(name)\"; there are \(LibraryRows.names)")
    }
    guard (1...240).contains(stations) else { throw ValidationError("--stations takes 1 to 240") }
    guard (1...600).contains(seconds) else { throw ValidationError("--seconds takes 1 to 600") }
    guard (200...100_000).contains(files), (200...1_000_000).contains(unchanged),
      (200...100_000).contains(added)
    else { throw ValidationError("a folder has 200 to 100000 files, --unchanged to 1000000") }
    guard (1...500).contains(programmes) else {
      throw ValidationError("--programmes takes 1 to 500")
    }
    try ComparisonOptions.check(listeners: listeners)
  }

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    try Leftovers.clearOnSignals()
    _ = Limits.raiseOpenFiles()
    let scratch = try Leftovers.makeDirectory()
    defer { Leftovers.remove(directory: scratch) }
    let bench = LibraryBench(
      program: Executables.longwave(longwavePath), scratch: scratch,
      music: try BenchMusic(in: music ?? scratch + "/music"),
      sizes: .init(
        stations: stations, seconds: seconds, scanned: files, unchanged: unchanged, added: added,
        programmes: programmes, listeners: listeners))
    let machine = Report.Machine()
    PartOutput.say(
      "**longwave-bench library** - \(machine.processor), \(machine.cores) cores"
        + "\(machine.isPinned ? "" : ", not pinned"), Linux \(machine.kernel), loopback\n")
    var isFaulty = false
    for name in rows.split(separator: ",").map(String.init) {
      LibraryBench.say("row \(name)")
      isFaulty = try measure(name, bench) || isFaulty
    }
    if isFaulty { throw ExitCode.failure }
  }

  /// Prints a row's table; returns whether something in it must not be.
  private func measure(_ name: String, _ bench: LibraryBench) throws -> Bool {
    guard let row = LibraryRows.all[name] else { return false }
    do {
      let table = try row.measure(in: bench)
      PartOutput.say(table.markdown)
      PartOutput.say(
        "Load average behind it: \(Proc.text("/proc/loadavg")?.prefix { $0 != "\n" } ?? "?")\n")
      return !table.faults.isEmpty
    } catch {
      LibraryBench.say("\(error)")
      PartOutput.say("### \(name)\n\nfailed: \(error)\n")
      return true
    }
  }
}

/// A part of the comparison, which can be run alone.
protocol LibraryRow: Sendable {
  func measure(in bench: LibraryBench) throws -> LibraryTable
}

/// All rows, by their names on the command line.
enum LibraryRows {
  private static let inOrder: [(name: String, row: any LibraryRow)] = [
    ("scan", ScanRow()), ("look", LookRow()), ("search", SearchRow()), ("pass", PassRow()),
    ("join", JoinRow()),
    ("memory", MemoryRow()), ("beside", BesideRow()), ("add", AddRow()),
  ]

  static let names = inOrder.map(\.name).joined(separator: ",")
  static let all = Dictionary(uniqueKeysWithValues: inOrder.map { ($0.name, $0.row) })
}
