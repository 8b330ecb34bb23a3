import Longwave
import Synchronization
import TestSupport
import Testing
import Wire

/// What listeners of a station get while it is on air without any sound.
@Suite struct DeadAirScenarioTests {
  /// Frames of noise, of which no two are the same, behind so many seconds of silence.
  private static func noise(_ seconds: Int, seed: UInt64, behind silent: Int = 0) -> [[UInt8]] {
    var random = SplitMix(seed: seed)
    return LameFrames.make(seconds: silent + seconds) { index in
      guard index >= silent * LameFrames.rate else { return (0, 0) }
      return (
        Int16.random(in: -6000...6000, using: &random),
        Int16.random(in: -6000...6000, using: &random)
      )
    }
  }

  /// The station's sound, more of it than the test takes on a machine that is busy; its silence, as long as the test
  /// wants it; and its sound again, from the silence of its first seconds on.
  private static let station = noise(180, seed: 1)
  private static let silence = LameFrames.make(seconds: 6) { _ in (0, 0) }
  private static let again = noise(120, seed: 3, behind: silentSeconds)
  private static let other = noise(20, seed: 2)
  private static let silentSeconds = 3

  /// The number of the first frame of sound behind the silence: those of `again` are counted on from the station's.
  private static let begin = station.count + silentSeconds * LameFrames.rate / 1152

  /// The frame that is on air at a place, where the silence lies in `silent`.
  private static func frame(_ number: Int, silent: Range<Int>) -> [UInt8] {
    if number >= silent.upperBound {
      return again[min(number - silent.upperBound, again.count - 1)]
    }
    if silent.contains(number) { return silence[(number - silent.lowerBound) % silence.count] }
    return station[min(number, station.count - 1)]
  }

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
    for frame in silence { known[frame] = .rest }
    for (number, frame) in (station + again).enumerated() {
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
    #expect(try await offPool { Self.known }.count > 2000)
    let folder = TemporaryDirectory()
    folder.write("loop.mp3", Self.other.flatMap { $0 })
    let silent = Mutex(Int.max..<Int.max)
    let upstream = try FakeUpstream(
      FakeProgramme(sampleRate: LameFrames.rate, before: 26) { number in
        Self.frame(number, silent: silent.withLock { $0 })
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
      try await past.until("sound of the past") { heard($0).contains { $0 != .rest } }
      let from = upstream.programme.packetsOnAir + 42
      silent.withLock { $0 = from..<Int.max }
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
      let end = upstream.programme.packetsOnAir + 42
      silent.withLock { $0 = from..<end }
      _ = try await first("silence-stopped")
      let stopped = try await first("fallback-stopped")
      #expect((stopped.json["seconds"]?.double ?? 0) > 1)
      let begin = Self.begin
      for client in [live, late, past] {
        try await client.until("sound again") {
          heard($0).contains { if case .station(let n) = $0 { n > begin + 60 } else { false } }
        }
      }
      for client in [live, past] {
        let own = heard(client).compactMap { if case .station(let n) = $0 { n } else { nil } }
        let expected = Self.known.values.compactMap { known -> Int? in
          guard case .station(let n) = known, let first = own.first, let last = own.last,
            n >= first, n <= last, !(from..<Self.station.count).contains(n)
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
