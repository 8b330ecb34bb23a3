import Foundation

/// What many stations take of which nobody asks for HLS.
struct HLSIdleRun: Codable {
  /// CPU microseconds of a station in a second.
  var microseconds: Double
  var rssKiB: UInt64
  var errors: [String]
}

extension HLSCommand {
  /// Until each station's burst has been taken in, and what settles behind it has.
  private static let settling = 15.0

  func measureIdle(in folder: String, _ report: inout HLSReport) throws {
    let upstream = try BenchUpstream(bitrate: bitrate)
    defer { upstream.stop() }
    for pair in 0..<pairs {
      report.idle.append(try measurePair(startsWith: pair % 2 == 0, upstream, in: folder))
    }
    report.stations = stations
  }

  /// Runs both relays in the same window and on the same core, so that what else the machine does meets both alike.
  ///
  /// - Parameter first: Whether the relay with HLS starts first. The upstream serves it first then, which is not the
  ///   same to the caches of a processor; so pairs take turns.
  private func measurePair(startsWith first: Bool, _ upstream: BenchUpstream, in folder: String)
    throws -> HLSReport.Idle
  {
    let relays = [
      try start(hls: first, upstream, in: folder), try start(hls: !first, upstream, in: folder),
    ]
    defer {
      for relay in relays {
        relay.stop()
        try? FileManager.default.removeItem(atPath: relay.data)
      }
    }
    Thread.sleep(forTimeInterval: Self.settling)
    let (busy, before) = (Busy(), relays.map(\.cpu))
    Thread.sleep(forTimeInterval: seconds)
    let (passed, others) = (busy.seconds, busy.others)
    let runs = try zip(relays, before).map { relay, before in
      HLSIdleRun(
        microseconds: (relay.cpu - before) * 1e6 / passed / Double(stations),
        rssKiB: FilesCommand.Memory(of: relay.child.id).rssKiB,
        errors: try relay.figures.faults(stations: stations))
    }
    return HLSReport.Idle(
      with: runs[first ? 0 : 1], without: runs[first ? 1 : 0], startsWith: first, others: others)
  }

  private func start(hls: Bool, _ upstream: BenchUpstream, in folder: String) throws -> BenchRelay {
    let relay = try BenchRelay(
      Executables.longwave(longwavePath), in: folder, settings: ["listeners: {hls: \(hls)}"],
      stations: upstream.stations(stations))
    try relay.waitUntilPlaying(stations)
    return relay
  }
}
