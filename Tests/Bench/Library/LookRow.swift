import Foundation

/// A look at files that have not changed, beside a bare walk through them.
struct LookRow: LibraryRow {
  private static let rounds = 3

  func measure(in bench: LibraryBench) throws -> LibraryTable {
    let count = bench.sizes.unchanged
    let folder = try bench.music.short(count, seconds: 0.8, bitrate: 32)
    var table = LibraryTable(
      "A look at \(count) unchanged files, \(Self.rounds) times in turn, the middle one",
      ["", "CPU seconds", "Pss MiB empty → scanned → most in a look → after it"])
    let walks = try (0..<Self.rounds).map { _ in try walk(folder, count) }
    table.rows.append(["bare walk", walks.middle.text(3), ""])
    do {
      let looks = try looks(folder, count, bench, &table)
      table.rows.append(["longwave", looks.cpu.text(3), looks.memory])
      table.compare("longwave to the bare walk", looks.cpu, to: walks.middle, goal: 2)
    } catch {
      table.add("longwave", hindrance: "\(error)")
    }
    return table
  }

  /// Returns the CPU seconds of a bare walk, in a process of its own on core 0.
  private func walk(_ folder: String, _ count: Int) throws -> Double {
    let child = try PipedProcess(
      Executables.pin(to: 0) + [Executables.own, "part-walk", "--folder", folder])
    let words = try child.line(within: 120, of: "the walk").split(separator: " ")
    guard words.count == 2, let files = Int(words[0]), let seconds = Double(words[1]) else {
      throw BenchError("the walk said \"\(words.joined(separator: " "))\"")
    }
    guard files == count else { throw BenchError("the walk found \(files) of \(count) files") }
    return seconds
  }

  private func looks(
    _ folder: String, _ count: Int, _ bench: LibraryBench, _ table: inout LibraryTable
  ) throws -> (cpu: Double, memory: String) {
    let relay = try bench.relay([])
    defer { relay.stop() }
    let scans = try RootScans(of: relay)
    Thread.sleep(forTimeInterval: 2)
    let empty = relay.pssKiB
    var least = try scans.first(of: folder).files
    Thread.sleep(forTimeInterval: 2)
    let scanned = relay.pssKiB
    var (costs, most) = ([Double](), 0.0)
    for _ in 0..<Self.rounds {
      let before = relay.cpu
      let scan = try scans.again { most = max(most, relay.pssKiB) }
      costs.append(relay.cpu - before)
      most = max(most, relay.pssKiB)
      least = min(least, scan.files)
    }
    let memory = [empty, scanned, most, relay.pssKiB]
    let more = ((memory.max() ?? 0) - empty) / 1024
    table.notes.append("memory with it: \(more.text(1)) MiB more (to reach: at most 64)")
    if least < count { table.faults.append("longwave lost \(count - least) of \(count) files") }
    let texts = memory.map { ($0 / 1024).text(1) }
    return (costs.middle, texts.joined(separator: " → "))
  }
}

extension [Double] {
  /// The value in the middle; 0 of none.
  var middle: Double { isEmpty ? 0 : sorted()[count / 2] }
}
