import Foundation
import TestSupport

/// Programmes whose tracks are joined, beside Liquidsoap's and MPD's crossfades.
struct JoinRow: LibraryRow {
  private static let fade = 4
  /// Seconds of the window: half of the programmes have a border in it.
  private static let seconds = Double(BenchMusic.trackSeconds) / 2
  private static let warmUp = 15.0

  func measure(in bench: LibraryBench) throws -> LibraryTable {
    let count = bench.sizes.stations
    // Joins are made a minute before they are due.
    let heard = Self.warmUp + Self.seconds + 75
    let folders = try bench.music.staggered(count, seconds: heard)
    // A folder whose first border is in the middle of the window.
    let one = folders[min(count - 1, count * Int(Self.warmUp + Self.seconds / 2) / 240)]
    var table = LibraryTable(
      "\(count) programmes of tracks of four minutes, joined, \(Int(Self.seconds)) s, "
        + "all at the same time", ["", "CPU, ms a station-second"])
    var contenders: [LibraryBench.Contender] = []
    var relays: [(name: String, relay: BenchRelay)] = []
    defer { for (_, relay) in relays { relay.stop() } }
    for (name, keys) in [
      ("longwave, cut", ", join: cut"), ("longwave, gapless", ", join: gapless"),
      ("longwave, fade", ", join: fade, fade: \(Self.fade)s"),
    ] {
      do {
        let relay = try bench.relay(folders, keys: keys)
        relays.append((name, relay))
        contenders.append(.init(name: name, stations: count) { relay.cpu })
      } catch {
        table.add(name, hindrance: "\(error)")
      }
    }
    let peers = try Peers(one, Self.fade, bench, &table)
    defer { peers.stop() }
    contenders += peers.contenders
    for (_, relay) in relays { try relay.waitUntilPlaying(count) }
    Thread.sleep(forTimeInterval: Self.warmUp)
    let costs = bench.costs(of: contenders, seconds: Self.seconds)
    for (contender, cost) in zip(contenders, costs) {
      table.rows.append([contender.name, (cost * 1000).text(3)])
    }
    let named = Dictionary(zip(contenders.map(\.name), costs)) { one, _ in one }
    for name in ["gapless", "fade"] {
      let mine = named["longwave, \(name)"]
      table.compare("\(name) to Liquidsoap", mine, to: named[Peers.liquidsoap], goal: 0.02)
      table.compare("\(name) to MPD with a listener", mine, to: named[Peers.heard], goal: 0.15)
      table.compare(
        "\(name) to MPD that encodes nothing", mine, to: named[Peers.unheard], goal: 0.15)
    }
    for (name, relay) in relays {
      table.faults += try relay.figures.faults(stations: count).map { "\(name): \($0)" }
    }
    return table
  }

  /// Servers that decode, mix and encode.
  private struct Peers {
    static let liquidsoap = "Liquidsoap, crossfade"
    static let heard = "MPD, crossfade, LAME, one listener"
    static let unheard = "MPD, crossfade, null output"

    private(set) var contenders: [LibraryBench.Contender] = []
    private var stops: [() -> Void] = []

    init(
      _ folder: String, _ fade: Int, _ bench: LibraryBench, _ table: inout LibraryTable
    ) throws {
      if let hindrance = LiquidsoapServer.hindrance {
        table.add(Self.liquidsoap, hindrance: hindrance)
      } else {
        let server = try LiquidsoapServer(music: folder, crossfade: fade, in: bench.scratch)
        stops.append { server.stop() }
        contenders.append(.init(name: Self.liquidsoap, stations: 1) { server.cpu })
        _ = try FirstByte.wait(port: server.port, path: LiquidsoapServer.path, within: 60)
      }
      if let hindrance = MPDServer.hindrance {
        table.add(Self.heard, hindrance: hindrance)
        table.add(Self.unheard, hindrance: hindrance)
        return
      }
      let port = freePort()
      for (name, output) in [
        (Self.heard, MPDServer.Output.http(port: port)), (Self.unheard, .null),
      ] {
        let server = try MPDServer(music: folder, output: output, in: bench.scratch)
        stops.append { server.stop() }
        contenders.append(.init(name: name, stations: 1) { server.cpu })
        try server.update()
        try server.play(crossfade: fade)
      }
      let listener = try PipedProcess(
        Executables.pin(to: 1) + [
          Executables.own, "part-listen", "--port", "\(port)", "--path", "/",
        ])
      stops.append { listener.stop(patience: 0) }
      _ = try listener.line(within: 20, of: "MPD's listener")
    }

    func stop() { for stop in stops.reversed() { stop() } }
  }
}
