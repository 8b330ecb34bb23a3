import ArgumentParser

/// Many programmes beside many listeners of one station: whether any is late, and what listeners cost beside them.
struct BesideRow: LibraryRow {
  private static let (windowSeconds, ramp) = (20.0, 1000.0)

  func measure(in bench: LibraryBench) throws -> LibraryTable {
    let (count, listeners) = (bench.sizes.programmes, bench.sizes.listeners)
    let without = Trial.Settings(
      audience: Audience(listeners: listeners, ramp: Self.ramp), windowSeconds: Self.windowSeconds,
      warmUpSeconds: 5)
    var beside = without
    (beside.programmes, beside.programmeFolder) = (count, try bench.music.tracks())
    var (alone, nobody) = (beside, without)
    alone.audience.listeners = 1
    nobody.audience.listeners = 1
    let server = ServerUnderTest.longwave(path: bench.program)
    // In turn, so that a machine that gets slower troubles all alike.
    let cases: [(name: String, settings: Trial.Settings)] = [
      ("\(listeners) listeners", without), ("beside \(count) programmes", beside),
      ("\(count) programmes, one listener", alone), ("one listener", nobody),
      ("beside \(count) programmes", beside), ("\(listeners) listeners", without),
    ]
    var table = LibraryTable(
      "\(count) programmes beside \(listeners) listeners of one station, \(Int(Self.windowSeconds)) s",
      ["", "core %", "latency ms p50 / max", "late", "errors", "other (cores)"])
    var cores: [String: [Double]] = [:]
    for (name, settings) in cases {
      LibraryBench.say(name)
      let found = try Trial(settings: settings) { LibraryBench.say("  \($0)") }.run(server)
      let (figures, errors) = (found.figures, found.load.errors)
      cores[name, default: []].append(figures.serverCore)
      let latency = [figures.latency.p50, figures.latency.max].map { $0?.text(0) ?? "-" }
      table.rows.append([
        name, (figures.serverCore * 100).text(2), latency.joined(separator: " / "),
        found.lateness ?? "never", errors.isEmpty ? "none" : errors.joined(separator: ", "),
        figures.otherCores.text(2),
      ])
      table.faults += (errors + (found.lateness.map { [$0] } ?? [])).map { "\(name): \($0)" }
    }
    let means = cases.map { cores[$0.name]!.reduce(0, +) / Double(cores[$0.name]!.count) }
    table.compare(
      "listeners beside programmes to listeners without", means[1] - means[2],
      to: means[0] - means[3],
      goal: 1.03)
    return table
  }
}
