import Foundation

/// Programmes whose MP3 files are passed through, beside pulled stations, and beside ezstream with icecast2.
struct PassRow: LibraryRow {
  func measure(in bench: LibraryBench) throws -> LibraryTable {
    let count = bench.sizes.stations
    let tracks = try bench.music.tracks()
    let folders = Array(repeating: tracks, count: count)
    let upstream = try BenchUpstream(bitrate: BenchMusic.bitrate)
    defer { upstream.stop() }
    let programmes = try bench.relay(folders)
    defer { programmes.stop() }
    let live = try bench.relay(folders, settings: ["timeshift: {window: 0}"])
    defer { live.stop() }
    let pulled = try BenchRelay(
      bench.program, in: bench.scratch, stations: upstream.stations(count))
    defer { pulled.stop() }
    let empty = try bench.relay([])
    defer { empty.stop() }
    let pair =
      EzstreamServers.hindrance == nil
      ? try EzstreamServers(music: tracks, mounts: count, in: bench.scratch) : nil
    defer { pair?.stop() }
    for relay in [programmes, live, pulled] { try relay.waitUntilPlaying(count) }
    if let pair { try pair.waitUntilPlaying() }
    // Until the bursts are over: what the upstream and the lead of a programme give at once.
    Thread.sleep(forTimeInterval: 10)

    var contenders: [LibraryBench.Contender] = [
      .init(name: "longwave, programmes", stations: count) { programmes.cpu },
      .init(name: "longwave, programmes, window: 0", stations: count) { live.cpu },
      .init(name: "longwave, pulled", stations: count) { pulled.cpu },
      .init(name: "longwave, no station, of a second", stations: 1) { empty.cpu },
    ]
    if let pair {
      contenders.append(.init(name: "ezstream and icecast2", stations: count) { pair.cpu })
    }
    let costs = bench.costs(of: contenders, seconds: bench.sizes.seconds)
    var table = LibraryTable(
      "\(count) stations of MP3, \(BenchMusic.bitrate) kbit/s, passed through, "
        + "\(Int(bench.sizes.seconds)) s, all at the same time", ["", "CPU, ms a station-second"])
    for (contender, cost) in zip(contenders, costs) {
      table.rows.append([contender.name, (cost * 1000).text(3)])
    }
    if let hindrance = EzstreamServers.hindrance {
      table.add("ezstream and icecast2", hindrance: hindrance)
    }
    let its = costs.count > 4 ? costs[4] : nil
    table.compare("programmes to ezstream and icecast2", costs[0], to: its, goal: 0.2)
    table.compare("the same without a window, as they have none", costs[1], to: its, goal: 0.2)
    table.compare("programmes to pulled stations", costs[0], to: costs[2], goal: 1)
    if let pair, pair.running < count {
      table.notes.append("\(count - pair.running) of \(count) ezstreams have ended")
    }
    for (name, relay) in [("programmes", programmes), ("programmes, window: 0", live)] {
      table.faults += try relay.figures.faults(stations: count).map { "\(name): \($0)" }
    }
    return table
  }
}

/// The memory of programmes, beside pulled stations whose windows are of the same length.
struct MemoryRow: LibraryRow {
  /// Seconds until each window in memory is full: 512 KiB at 128 kbit/s.
  private static let fill = 45.0

  func measure(in bench: LibraryBench) throws -> LibraryTable {
    let count = bench.sizes.stations
    let folders = Array(repeating: try bench.music.tracks(), count: count)
    let upstream = try BenchUpstream(bitrate: BenchMusic.bitrate)
    defer { upstream.stop() }
    let relays = [
      try bench.relay([]), try bench.relay(folders),
      try BenchRelay(bench.program, in: bench.scratch, stations: upstream.stations(count)),
    ]
    defer { for relay in relays { relay.stop() } }
    for relay in relays.dropFirst() { try relay.waitUntilPlaying(count) }
    Thread.sleep(forTimeInterval: Self.fill)
    let memory = relays.map(\.pssKiB)
    var table = LibraryTable(
      "Memory of \(count) stations, after \(Int(Self.fill)) s",
      ["", "Pss MiB", "KiB a station"])
    for (name, kiB) in zip(["no station", "programmes", "pulled"], memory) {
      let each = name == "no station" ? "" : ((kiB - memory[0]) / Double(count)).text(0)
      table.rows.append([name, (kiB / 1024).text(1), each])
    }
    let more = (memory[1] - memory[2]) / Double(count)
    table.notes.append(
      "a programme more than a pulled station: \(more.text(0)) KiB (to reach: at most 600)")
    table.faults = try relays[1].figures.faults(stations: count).map { "programmes: \($0)" }
    return table
  }
}
