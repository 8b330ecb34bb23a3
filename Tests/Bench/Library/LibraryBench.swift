import Foundation

/// What the rows of `longwave-bench library` share.
struct LibraryBench {
  struct Sizes {
    /// Programme stations of the rows that compare their CPU and memory.
    var stations = 20
    /// Seconds of their measured windows.
    var seconds = 60.0
    /// Files of the first scan, of the look at unchanged ones, and of the folder that a station is added for.
    var (scanned, unchanged, added) = (4000, 100_000, 10_000)
    /// Programmes beside so many listeners.
    var (programmes, listeners) = (100, 5000)
  }

  /// The relay's program.
  let program: String
  /// A folder for this run's servers.
  let scratch: String
  let music: BenchMusic
  let sizes: Sizes

  /// Starts programmes that play these folders in sequence, one each.
  func relay(
    _ folders: [String], keys: String = "", settings: [String] = []
  ) throws -> BenchRelay {
    let stations = Self.stations(folders, keys: keys)
    return try BenchRelay(program, in: scratch, settings: settings, stations: stations)
  }

  /// Returns programmes as lines of a configuration's list.
  static func stations(_ folders: [String], keys: String = "") -> [String] {
    folders.enumerated().map { index, folder in
      "{id: night-\(index), programme: {play: \"folder:\(folder)\"\(keys)}}"
    }
  }

  /// Writes progress to standard error, since standard output belongs to the report.
  static func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }

  /// One of several servers that run at the same time, each with stations of its own.
  struct Contender {
    var name: String
    var stations: Int
    /// Its CPU seconds so far.
    var cpu: () -> Double
  }

  /// Returns the CPU seconds that a station of each takes in a second. All are measured in one window, so that what
  /// else the machine does troubles all of them alike.
  func costs(of contenders: [Contender], seconds: Double) -> [Double] {
    let (before, began) = (contenders.map { $0.cpu() }, monotonicNow())
    Thread.sleep(forTimeInterval: seconds)
    let after = contenders.map { $0.cpu() }
    let passed = Double(monotonicNow() - began) / 1e9
    return zip(contenders, zip(before, after)).map { contender, cpu in
      (cpu.1 - cpu.0) / passed / Double(contender.stations)
    }
  }
}

/// What a row of the comparison has found.
struct LibraryTable {
  var title: String
  var headings: [String]
  var rows: [[String]] = []
  /// Ratios with their goals, and remarks.
  var notes: [String] = []
  /// Audio that was late, and files that were lost: what must not be.
  var faults: [String] = []

  init(_ title: String, _ headings: [String]) { (self.title, self.headings) = (title, headings) }

  /// Adds a row without figures.
  mutating func add(_ name: String, hindrance: String) {
    rows.append([name, hindrance] + headings.dropFirst(2).map { _ in "" })
  }

  /// Adds the ratio of two figures and the goal that it should be at most; nothing where a figure is missing.
  mutating func compare(_ what: String, _ mine: Double?, to its: Double?, goal: Double) {
    guard let mine, let its, its > 0 else { return }
    notes.append(
      String(format: "%@: ×%.3f (to reach: at most ×%g)", what, mine / its, goal))
  }

  var markdown: String {
    func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
    var lines = ["### \(title)", "", row(headings), row(headings.map { _ in "---" })]
    lines += rows.map(row)
    if !notes.isEmpty { lines += [""] + notes.map { "- \($0)" } }
    if !faults.isEmpty { lines += [""] + faults.map { "- **\($0)**" } }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension Double {
  /// The number with so many digits behind the point.
  func text(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }
}
