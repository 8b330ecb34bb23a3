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
    let empty = try bench.relay([])
    Thread.sleep(forTimeInterval: 2)
    let before = empty.pssKiB
    empty.stop()
    let relay = try BenchRelay(
      bench.program, in: bench.scratch,
      settings: [
        "library: {roots: [{id: main, path: \"\(folder)\"}], watch: false, measure: never}"
      ], stations: [])
    defer { relay.stop() }
    try Wait.until("the first scan is done", within: 300, every: 0.5) {
      try Root(relay)?.isDone(count, after: nil) == true
    }
    Thread.sleep(forTimeInterval: 2)
    let scanned = relay.pssKiB
    var (costs, most) = ([Double](), 0.0)
    for _ in 0..<Self.rounds {
      let (cpu, last) = (relay.cpu, try Root(relay)?.began)
      try relay.command(["library", "scan", "main"])
      // Memory is read without asking the relay; what that costs it is a few reads of /proc.
      let end = monotonicNow() + 1_000_000_000
      while monotonicNow() < end { most = max(most, relay.pssKiB) }
      try Wait.until("a look is done", within: 120, every: 0.5) {
        most = max(most, relay.pssKiB)
        return try Root(relay)?.isDone(count, after: last) == true
      }
      costs.append(relay.cpu - cpu)
    }
    let after = relay.pssKiB
    let more = (max(most, after) - before) / 1024
    table.notes.append("memory with it: \(more.text(1)) MiB more (to reach: at most 64)")
    if let root = try Root(relay), root.files < count {
      table.faults.append("longwave lost \(count - root.files) of \(count) files")
    }
    let memory = [before, scanned, most, after].map { ($0 / 1024).text(1) }
    return (costs.middle, memory.joined(separator: " → "))
  }

  /// What `library status` says of the root.
  private struct Root {
    var state: String
    var files: Int
    var began: String?
    var seconds: Double?

    init?(_ relay: BenchRelay) throws {
      let text = try relay.command(["library", "status", "--json"])
      let answer = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
      guard let root = (answer?["roots"] as? [[String: Any]])?.first else { return nil }
      let scan = root["scan"] as? [String: Any]
      state = root["state"] as? String ?? ""
      files = root["files"] as? Int ?? 0
      (began, seconds) = (scan?["began"] as? String, scan?["seconds"] as? Double)
    }

    func isDone(_ count: Int, after last: String?) -> Bool {
      state == "ok" && began != nil && began != last && seconds != nil
    }
  }
}

extension [Double] {
  /// The value in the middle; 0 of none.
  var middle: Double { isEmpty ? 0 : sorted()[count / 2] }
}
