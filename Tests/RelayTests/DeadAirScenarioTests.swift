import Audio
import Longwave
import TestSupport
import Testing
import Wire

/// What listeners of a station get while it is on air without any sound.
@Suite struct DeadAirScenarioTests {
  private static let rate = 48_000
  private static let frameBytes = 384
  /// Seconds of the programme that are silent.
  private static let silent = 50.0..<72.0

  /// Frames of noise, of which no two are the same, with silence from `silent` on.
  private static func frames(_ seconds: Int, seed: UInt64, silent: Range<Double>) -> [[UInt8]] {
    var random = SplitMix(seed: seed)
    let encoder = try! LameEncoder(sampleRate: rate, channels: 2, bitrate: 128)
    var bytes: [UInt8] = []
    for tenth in 0..<(seconds * 10) {
      let isSilent = silent.contains(Double(tenth) / 10)
      let samples = (0..<(rate / 10 * 2)).map { _ in
        isSilent ? 0 : Int16.random(in: -6000...6000, using: &random)
      }
      bytes += try! encoder.encode(samples)
    }
    bytes += encoder.finish()
    return stride(from: 0, to: bytes.count - frameBytes + 1, by: frameBytes)
      .map { Array(bytes[$0..<$0 + frameBytes]) }
  }

  private static let station = frames(90, seed: 1, silent: silent)
  private static let other = frames(20, seed: 2, silent: 0..<0)

  /// A listener's frames: those of the station by number, those of the fallback, and the rest.
  private enum Heard: Hashable {
    case station(Int)
    case fallback
    /// Silence, or what carries another frame's bit reservoir.
    case rest
  }

  private static let known: [[UInt8]: Heard] = {
    var known: [[UInt8]: Heard] = [:]
    for frame in other { known[frame] = .fallback }
    for (number, frame) in station.enumerated() {
      known[frame] = known[frame] == nil ? .station(number) : .rest
    }
    return known
  }()

  private func heard(_ client: StreamClient) -> [Heard] {
    let body = client.body
    var heard: [Heard] = []
    var from = 0
    while let length = MPEGHeader(in: body.span, at: from)?.frameBytes, from + length <= body.count
    {
      heard.append(Self.known[Array(body[from..<from + length])] ?? .rest)
      from += length
    }
    return heard
  }

  @Test func `live listeners hear the fallback in dead air, and every packet of sound once`()
    async throws
  {
    // Made before the programme begins, since that takes seconds.
    #expect(Self.known.count > 2000)
    let folder = TemporaryDirectory()
    folder.write("loop.mp3", Self.other.flatMap { $0 })
    let upstream = try FakeUpstream(
      FakeProgramme(sampleRate: Self.rate, before: 26) {
        Self.station[min($0, Self.station.count - 1)]
      })
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 80)))
    var station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    station.fallback = .file(folder.path + "/loop.mp3")
    var silence = SoundRules.Silence()
    (silence.hold, silence.startsFallback) = (2, true)
    station.sound.silence = silence
    try await Scenario.withRelay([station]) { relay in
      try await relay.until("jazz", has: 2)
      let events = try relay.events("?station=jazz")
      let live = try StreamClient(to: relay.address, get: "/jazz?burst=1")
      try await live.until("sound of the station") { heard($0).contains { $0 != .rest } }
      let past = try StreamClient(to: relay.address, get: "/jazz?offset=4&burst=1")
      func first(_ kind: String) async throws -> EventClient.Event {
        try await events.first(kind, within: 90) { event in
          live.drain()
          past.drain()
          return event.kind == kind
        }
      }
      _ = try await first("silence-started")
      let started = try await first("fallback-started")
      #expect(started.json["cause"]?.string == "silence")
      try await live.until("the fallback") {
        past.drain()
        return heard($0).last == .fallback
      }
      // A listener that comes now is spared a burst of silence.
      let late = try StreamClient(to: relay.address, get: "/jazz?burst=1")
      try await late.until("the fallback at once") { heard($0).contains(.fallback) }
      #expect(heard(late).first == .fallback)
      _ = try await first("silence-stopped")
      let stopped = try await first("fallback-stopped")
      #expect((stopped.json["seconds"]?.double ?? 0) > 1)
      let begin = Int((Self.silent.upperBound * Double(Self.rate) / 1152).rounded(.down))
      for client in [live, late, past] {
        try await client.until("sound again") {
          heard($0).contains { if case .station(let n) = $0 { n > begin + 60 } else { false } }
        }
      }
      for client in [live, past] {
        let own = heard(client).compactMap { if case .station(let n) = $0 { n } else { nil } }
        let expected = Self.known.values.compactMap { known -> Int? in
          guard case .station(let n) = known, let first = own.first, let last = own.last,
            n >= first, n <= last
          else { return nil }
          return n
        }
        #expect(own == expected.sorted(), "every packet with sound, once, in order")
      }
      let own = heard(late).compactMap { if case .station(let n) = $0 { n } else { nil } }
      #expect(own.first.map { abs($0 - begin) <= 3 } ?? false, "\(own.first ?? -1) \(begin)")
      let isDiverted = heard(past).contains(.fallback)
      #expect(!isDiverted, "the past is as it was")
    }
  }

  @Test func `a rule that asks for a fallback needs one`() throws {
    let yaml = """
      stations:
        - id: jazz
          upstream: http://127.0.0.1:1/live
          silence: {fallback: true}
      """
    let error = #expect(throws: ConfigurationError.self) {
      try Configuration.parse(yaml: yaml, file: "x.yml")
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains("jazz.fallback"))
  }
}
