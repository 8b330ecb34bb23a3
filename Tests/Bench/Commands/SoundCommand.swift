import ArgumentParser
import Foundation
import TestSupport

/// Measures what stations cost whose sound is measured or encoded anew.
struct SoundCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sound",
    abstract: "Stations whose levels and spectra are watched, or of which renditions are made.",
    discussion: """
      Longwave alone, on one core, with stations that play music from a file in real time. A rendition is compared with \
      mpg123 and lame in a pipe, in the same run. Exit status 1: a watcher was told less than it should be.
      """)

  @Option(help: "Stations.")
  var stations = 20
  @Option(help: "Length of each measured window, in seconds.")
  var seconds = 20.0
  @Option(name: .customLong("longwave"), help: "The longwave binary. Default: beside this one.")
  var longwavePath: String?

  /// Levels each second, less what a window's ends may cut off.
  static let levelsLeast = 19.0

  private struct Row {
    var wish: SoundStations.Wish
    /// CPU seconds of a station in a second.
    var cost: Double
    var told: SoundWatchers.Told?
  }

  func validate() throws {
    guard (1...500).contains(stations) else { throw ValidationError("--stations takes 1 to 500") }
    guard (1...600).contains(seconds) else { throw ValidationError("--seconds takes 1 to 600") }
  }

  func run() throws {
    try Leftovers.clearOnSignals()
    let folder = try Leftovers.makeDirectory()
    defer { Leftovers.remove(directory: folder) }
    let music = try SoundStations(in: folder)
    let pipe = try pipeCost(music.file)
    var rows: [Row] = []
    for wish in SoundStations.Wish.allCases {
      FileHandle.standardError.write(Data("\(wish.rawValue)\n".utf8))
      rows.append(try measure(wish, music, folder))
    }
    print(report(rows, pipe: pipe))
    if rows.contains(where: { Self.areFew($0.told, in: seconds) }) { throw ExitCode.failure }
  }

  static func areFew(_ told: SoundWatchers.Told?, in seconds: Double) -> Bool {
    told.map { Double($0.fewest) < levelsLeast * seconds } ?? false
  }

  /// Returns a row's last columns.
  static func columns(_ told: SoundWatchers.Told?, in seconds: Double) -> String {
    told.map {
      String(format: "%.1f | %.0f ms", Double($0.fewest) / seconds, $0.longestGap * 1000)
    } ?? " | "
  }

  private var binary: String { Executables.longwave(longwavePath) }

  private func measure(
    _ wish: SoundStations.Wish, _ music: SoundStations, _ folder: String
  ) throws -> Row {
    let port = freePort()
    let own = "\(folder)/\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
    try music.yaml(stations, wish, port: port, data: own + "/data").write(
      toFile: own + "/longwave.yml", atomically: false, encoding: .utf8)
    let words = [binary, "serve", "--config", own + "/longwave.yml"]
    let server = try PipedProcess(
      Executables.pin(to: 0) + Executables.dieWithParent() + words, log: own + "/log")
    defer { server.stop() }
    // Until the burst of each station is taken, and what is made of it caught up with.
    try wait(10, for: server)
    let watchers = try wish.watched.map {
      try SoundWatchers(music.ids(stations), $0, port: port)
    }
    try watchers?.start()
    try wait(5, for: server)
    watchers?.count()
    let (before, began) = (ProcessFigures.cpuTime(of: server.id), monotonicNow())
    try wait(seconds, for: server)
    let cost = (ProcessFigures.cpuTime(of: server.id) - before).total
    let passed = Double(monotonicNow() - began) / 1e9
    return Row(wish: wish, cost: cost / passed / Double(stations), told: watchers?.stop())
  }

  private func wait(_ seconds: Double, for server: PipedProcess) throws {
    usleep(UInt32(seconds * 1e6))
    guard server.isRunning else { throw BenchError("longwave has ended") }
  }

  /// Returns the CPU seconds that mpg123 and lame need for a second of the music.
  private func pipeCost(_ file: String) throws -> Double? {
    guard let decoder = Binary.find("mpg123"), let encoder = Binary.find("lame") else {
      return nil
    }
    let pipe =
      "\(decoder) -q -s '\(file)' | \(encoder) --quiet -r -s 44.1 --bitwidth 16 --signed "
      + "--little-endian -m j -b 64 - /dev/null"
    let cost = try CPUTime.of(Executables.pin(to: 0) + ["sh", "-c", pipe])
    return cost / Double(SoundStations.seconds)
  }

  private func report(_ rows: [Row], pipe: Double?) -> String {
    func percent(_ cost: Double) -> String { String(format: "%.3f %%", cost * 100) }
    let bare = rows.first { $0.wish == .nothing }?.cost ?? 0
    var lines = [
      "### \(stations) stations, 128 kbit/s, \(Int(seconds)) s each", "",
      "| of each station | of a core a station | for that alone | levels a second, least | longest gap |",
      "|---|---|---|---|---|",
    ]
    for row in rows {
      let columns = [
        row.wish.rawValue, percent(row.cost), percent(row.cost - bare),
        Self.columns(row.told, in: seconds),
      ]
      lines.append("| \(columns.joined(separator: " | ")) |")
    }
    if let pipe, let made = rows.first(where: { $0.wish == .rendition }) {
      let ratio = String(format: "%.2f", (made.cost - bare) / pipe)
      lines.append("| mpg123 and lame in a pipe | \(percent(pipe)) | | | |")
      lines += ["", "A rendition takes \(ratio) of what the pipe takes."]
    }
    return lines.joined(separator: "\n")
  }
}

extension CPUTime {
  /// Runs a program to its end, and returns the CPU seconds that it and its children took.
  static func of(_ arguments: [String]) throws -> Double {
    func children() -> Double {
      var usage = rusage()
      getrusage(__rusage_who_t(Int32(RUSAGE_CHILDREN.rawValue)), &usage)
      func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
      return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
    let before = children()
    let child = try PipedProcess(arguments)
    while child.isRunning { usleep(20_000) }
    return children() - before
  }
}
