import Glibc
import Reactor
import Synchronization
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Ingest

/// One station on a loop of its own, with everything it said.
final class IngestHarness: Sendable {
  let loop: EventLoop
  let ingest: IngestLoop
  let log: PacketLog
  private let said = Mutex<[IngestEvent]>([])

  init(log: PacketLog? = nil, oddities: IngestOddities = IngestOddities()) throws {
    loop = try EventLoop(name: "ingest")
    loop.start()
    ingest = IngestLoop(loop: loop, oddities: oddities)
    var configuration = LogConfiguration()
    configuration.windowBytes = 16 << 20
    self.log = log ?? PacketLog(memoryOnly: configuration, at: .now())
  }

  /// Settings in which nothing takes long.
  static func quick(_ urls: [String]) -> UpstreamSettings {
    var settings = UpstreamSettings(urls: urls)
    settings.reconnect.quickDelay = 0.1...0.15
    settings.reconnect.hopelessGrace = 0
    // Longer than any test: who is given up is not asked a second time, however late a busy machine looks.
    settings.reconnect.hopelessDelay = 3600
    settings.connectTimeout = 5
    settings.dataTimeout = 5
    return settings
  }

  func start(
    _ settings: UpstreamSettings, isAwaited: @escaping @Sendable () -> Bool = { false }
  ) async {
    await ingest.add(station: "test", settings: settings, log: log, isAwaited: isAwaited) {
      [self] event in
      said.withLock { $0.append(event) }
    }
  }

  var events: [IngestEvent] { said.withLock { $0 } }

  /// Waits until something is so; false after `seconds`.
  @discardableResult
  func wait(
    _ seconds: Double = 60, until condition: (IngestHarness) async -> Bool
  ) async -> Bool {
    do {
      try await eventually("it is so", within: seconds) { await condition(self) }
      return true
    } catch {
      return false
    }
  }

  func wait(packets: Int) async -> Bool {
    await wait { $0.log.edgePosition >= NumberedFrames.position(of: UInt64(packets)) }
  }

  /// Stops the station, its loop, and gives what is in the log.
  func finish() async -> [UInt8] {
    await ingest.shutdown()
    loop.stop()
    return audio
  }

  /// The log's bytes from the oldest on; empty when they cannot all be read.
  var audio: [UInt8] {
    let reader = LogReader(log)
    // On disk: the storage's thread fetches it.
    return reader.collect(reader.oldest.position..<reader.edge.position) { usleep(10_000) } ?? []
  }

  var states: [StationState] {
    events.compactMap { if case .state(let state, _) = $0 { state } else { nil } }
  }

  var gaps: [GapMark] {
    events.compactMap { if case .gap(let gap) = $0 { gap } else { nil } }
  }

  var titles: [(title: String, position: UInt64)] {
    events.compactMap {
      if case .title(let title, let position) = $0 { (title.text, position) } else { nil }
    }
  }

  var stitched: [(stitched: Double, lost: Double)] {
    events.compactMap {
      if case .reconnected(let r) = $0 { (r.stitchedSeconds, r.lostSeconds) } else { nil }
    }
  }

  var reconnections: [Reconnection] {
    events.compactMap { if case .reconnected(let reconnection) = $0 { reconnection } else { nil } }
  }

  func said(_ matches: (IngestEvent) -> Bool) -> Bool { events.contains(where: matches) }
}

/// Every number follows the one before it; the first is any.
func expectUnbroken(_ audio: [UInt8], atLeast count: Int, from first: UInt64? = nil) throws {
  let numbers = try NumberedFrames.numbers(in: audio)
  let start = try #require(numbers.first)
  #expect(numbers.count >= count)
  let jumps = zip(numbers, numbers.dropFirst()).filter { $0 + 1 != $1 }.prefix(10)
  #expect(jumps.isEmpty, "\(jumps.map { "\($0) → \($1)" })")
  if let first { #expect(start == first) }
}

extension IngestOddities {
  /// ::1 counts as an address of the world, so that upstreams there lead inwards to 127.0.0.1.
  static var worldly: IngestOddities {
    var oddities = IngestOddities()
    oddities.scopes = { if case .ipv6 = $0 { .world } else { $0.scope } }
    return oddities
  }
}
