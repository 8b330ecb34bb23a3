import Foundation

/// The first look through a folder: what each file costs, beside MPD.
struct ScanRow: LibraryRow {
  private static let rounds = 3

  private struct Scan {
    var cpu: Double
    var seconds: Double
    var files: Int
    /// Files that it cannot play, and so reads no tags of; nil where it does not tell.
    var problems: Int?
  }

  func measure(in bench: LibraryBench) throws -> LibraryTable {
    let count = bench.sizes.scanned
    let folder = try bench.music.mixed(count)
    var table = LibraryTable(
      "First scan of \(count) mixed files, \(Self.rounds) times in turn, the middle one",
      ["server", "CPU, µs a file", "seconds", "files found", "of them refused"])
    var (ours, theirs): ([Scan], [Scan]) = ([], [])
    var hindrance: String?
    for _ in 0..<Self.rounds {
      if hindrance == nil {
        do { ours.append(try own(folder, count, bench)) } catch { hindrance = "\(error)" }
      }
      if MPDServer.hindrance == nil { theirs.append(try mpd(folder, count, bench)) }
    }
    let mine = add("longwave", ours, hindrance, &table)
    let its = add("MPD", theirs, MPDServer.hindrance, &table)
    table.compare("longwave to MPD", mine, to: its, goal: 0.5)
    if let least = ours.map(\.files).min(), least < count {
      table.faults.append("longwave lost \(count - least) of \(count) files")
    }
    return table
  }

  /// Returns the CPU seconds of a file.
  private func add(
    _ name: String, _ scans: [Scan], _ hindrance: String?, _ table: inout LibraryTable
  ) -> Double? {
    if let hindrance { table.add(name, hindrance: hindrance) }
    guard hindrance == nil, !scans.isEmpty else { return nil }
    let scan = scans.sorted { $0.cpu < $1.cpu }[scans.count / 2]
    table.rows.append([
      name, (scan.cpu * 1e6).text(0), scan.seconds.text(1), "\(scan.files)",
      scan.problems.map(String.init) ?? "-",
    ])
    return scan.cpu
  }

  private func own(_ folder: String, _ count: Int, _ bench: LibraryBench) throws -> Scan {
    let relay = try bench.relay([])
    defer { relay.stop() }
    let scans = try RootScans(of: relay)
    Thread.sleep(forTimeInterval: 1)
    let before = relay.cpu
    let scan = try scans.first(of: folder)
    return Scan(
      cpu: (relay.cpu - before) / Double(count), seconds: scan.seconds, files: scan.files,
      problems: scan.problems)
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
