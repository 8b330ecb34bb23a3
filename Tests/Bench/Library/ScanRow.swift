import Foundation

/// The first look through a folder: what each file costs, beside MPD.
struct ScanRow: LibraryRow {
  private static let rounds = 3

  private struct Scan {
    var cpu: Double
    var seconds: Double
    var files: Int
  }

  func measure(in bench: LibraryBench) throws -> LibraryTable {
    let count = bench.sizes.scanned
    let folder = try bench.music.mixed(count)
    var table = LibraryTable(
      "First scan of \(count) mixed files, \(Self.rounds) times in turn, the middle one",
      ["server", "CPU, µs a file", "seconds", "files found"])
    var (ours, theirs): ([Scan], [Scan]) = ([], [])
    for _ in 0..<Self.rounds {
      ours.append(try own(folder, count, bench))
      if MPDServer.hindrance == nil { theirs.append(try mpd(folder, count, bench)) }
    }
    let (mine, its) = (add("longwave", ours, &table), add("MPD", theirs, &table))
    if let hindrance = MPDServer.hindrance { table.add("MPD", hindrance: hindrance) }
    table.compare("longwave to MPD", mine, to: its, goal: 0.5)
    if let least = ours.map(\.files).min(), least < count {
      table.faults.append("longwave lost \(count - least) of \(count) files")
    }
    return table
  }

  private func add(_ name: String, _ scans: [Scan], _ table: inout LibraryTable) -> Double? {
    guard !scans.isEmpty else { return nil }
    let scan = scans.sorted { $0.cpu < $1.cpu }[scans.count / 2]
    table.rows.append([name, (scan.cpu * 1e6).text(0), scan.seconds.text(1), "\(scan.files)"])
    return scan.cpu
  }

  private func own(_ folder: String, _ count: Int, _ bench: LibraryBench) throws -> Scan {
    let relay = try bench.relay([])
    defer { relay.stop() }
    Thread.sleep(forTimeInterval: 1)
    let (before, began) = (relay.cpu, monotonicNow())
    try relay.command(["station", "add", "night", "--folder", folder])
    var found: Int?
    try Wait.until("longwave has looked through its folder", within: 300) {
      found = Self.files(in: relay.logged)
      return found != nil
    }
    // One file is there that nobody can play, so that the log tells when all was looked through.
    return Scan(
      cpu: (relay.cpu - before) / Double(count), seconds: Double(monotonicNow() - began) / 1e9,
      files: (found ?? 0) - 1)
  }

  /// Returns the number in "1 of 4001 files are left out".
  private static func files(in log: String) -> Int? {
    log.firstMatch(of: /[0-9]+ of ([0-9]+) files are left out/).flatMap { Int($0.1) }
  }

  private func mpd(_ folder: String, _ count: Int, _ bench: LibraryBench) throws -> Scan {
    let mpd = try MPDServer(music: folder, output: .null, in: bench.scratch)
    defer { mpd.stop() }
    Thread.sleep(forTimeInterval: 1)
    let (before, began) = (mpd.cpu, monotonicNow())
    try mpd.update()
    let cpu = (mpd.cpu - before) / Double(count)
    let seconds = Double(monotonicNow() - began) / 1e9
    return Scan(cpu: cpu, seconds: seconds, files: try mpd.songs())
  }
}
