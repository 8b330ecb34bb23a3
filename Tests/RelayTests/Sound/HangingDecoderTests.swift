import Audio
import Dispatch
import Logging
import LongwaveAPI
import Reactor
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Longwave

/// A decoder that does not come back holds up nothing but itself.
@Suite struct HangingDecoderTests {
  /// Frames of noise.
  private static let frames: [[UInt8]] = {
    var random = SplitMix(seed: 5)
    let frames = LameFrames.make(seconds: 4) { _ in
      (
        Int16.random(in: -6000...6000, using: &random),
        Int16.random(in: -6000...6000, using: &random)
      )
    }
    return Array(frames.dropFirst(8))
  }()

  /// Nobody passes until it is opened.
  private final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    func wait() { semaphore.wait() }
    func open() { for _ in 0..<16 { semaphore.signal() } }
  }

  /// Hangs at its first packet, until the test is over.
  private final class Hanging: SoundDecoder {
    var format: AudioFormat? { nil }
    private let gate: Gate

    init(_ gate: Gate) { self.gate = gate }

    func decode(
      _ bytes: UnsafeRawBufferPointer, atMost seconds: Double,
      _ take: (UnsafeBufferPointer<Int16>) -> Void
    ) {
      gate.wait()
    }
  }

  @Test func `a decoder that hangs is told, and other stations are measured on`() async throws {
    let gate = Gate()
    defer { gate.open() }
    let frames = try await offPool { Self.frames }
    let upstream = try FakeUpstream(
      FakeProgramme(sampleRate: 48_000, before: 20) { frames[$0 % frames.count] })
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 10)))
    let stations = ["a", "b", "c", "d"].map {
      StationDefinition(id: $0, upstream: [upstream.url("/live")])
    }
    let made = Mutex(0)
    let data = TemporaryDirectory()
    var configuration = Configuration()
    configuration.stations = stations
    var options = RelayOptions(
      data: data.path, listen: [.ipv4(0x7F00_0001, port: 0)], interface: .http)
    options.logger = LineLogHandler.logger(level: .critical)
    options.makeDecoder = { _, _ throws(AudioError) in
      // More than there are threads on two processors.
      let number = made.withLock { made in
        made += 1
        return made
      }
      return number <= 3 ? Hanging(gate) : try Mpg123Decoder()
    }
    let running = try await Relay(configuration: configuration, options: options)
    try await running.start()
    let relay = TestRelay(relay: running, address: try #require(await running.addresses.first))
    do {
      for station in stations { try await relay.until(station.id, has: 5) }
      let clients = try ["a", "b", "c"].map { try relay.events("?station=\($0)&kinds=levels") }
      try await eventually("three hang", within: 60) {
        var words = 0
        for id in ["a", "b", "c"] {
          if try await relay.station(id)["sound"]?["state"]?.string == "unavailable" { words += 1 }
        }
        return words == 3
      }
      let other = try relay.events("?station=d&kinds=levels")
      try await other.first("levels of another station") { $0.kind == "levels" }
      let listener = try StreamClient(to: relay.address, get: "/a")
      try await listener.until("audio of the station whose decoder hangs") { $0.bodyCount > 50_000 }
      let samples = try StreamClient(to: relay.address, get: "/a/pcm")
      try await samples.until("samples by another decoder") { $0.bodyCount > 50_000 }
      withExtendedLifetime(clients) {}
    } catch {
      await running.stop()
      throw error
    }
    await running.stop()
  }
}
