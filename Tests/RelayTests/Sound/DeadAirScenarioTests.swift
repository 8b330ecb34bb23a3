import Longwave
import Synchronization
import TestSupport
import Testing
import Wire

/// What listeners of a station get while it is on air without any sound.
@Suite struct DeadAirScenarioTests {
  /// Noise, of which no two frames are the same, behind so many seconds of silence.
  private static func noise(seed: UInt64, behind silent: Int = 0) -> LameProgramme {
    LameProgramme { index in
      guard index >= silent * LameFrames.rate else { return (0, 0) }
      var random = SplitMix(seed: seed << 40 + UInt64(index))
      let bits = random.next()
      return (Int16(truncatingIfNeeded: bits) / 6, Int16(truncatingIfNeeded: bits >> 16) / 6)
    }
  }

  /// The station's sound; its silence, as long as the test wants it; and its sound again, from the silence of its first
  /// seconds on.
  private static let station = noise(seed: 1)
  private static let silence = LameFrames.make(seconds: 6) { _ in (0, 0) }
  private static let silentFrames = Set(silence)
  private static let again = noise(seed: 3, behind: silentSeconds)
  private static let other = noise(seed: 2)
  private static let silentSeconds = 3

  /// The frames of `again` are counted on from here.
  private static let againFrom = 1_000_000
  /// The number of the first frame of sound behind the silence.
  private static let begin = againFrom + silentSeconds * LameFrames.rate / 1152
  /// Of the fallback's file, twenty seconds.
  private static let otherCount = 833

  /// The frame that is on air at a place, where the silence lies in `silent`.
  private static func frame(_ number: Int, silent: Range<Int>) -> [UInt8] {
    if number >= silent.upperBound { return again[number - silent.upperBound] }
    if silent.contains(number) { return silence[(number - silent.lowerBound) % silence.count] }
    return station[number]
  }

  /// A listener's frames: those of the station by number, those of the fallback, and the rest.
  private enum Heard: Hashable {
    case station(Int)
    case fallback
    /// Silence, or what carries another frame's bit reservoir.
    case rest
  }

  private static func known(_ frame: [UInt8]) -> Heard {
    if silentFrames.contains(frame) { return .rest }
    if other.number(of: frame) != nil { return .fallback }
    if let number = station.number(of: frame) { return .station(number) }
    return again.number(of: frame).map { .station(againFrom + $0) } ?? .rest
  }

  /// The numbers of all frames with sound from one to another, where the silence begins at `from`.
  private static func sound(_ first: Int, through last: Int, silenceFrom from: Int) -> [Int] {
    let before =
      first < from
      ? (first..<min(from, last + 1)).filter { known(station[$0]) == .station($0) } : []
    guard last >= againFrom else { return before }
    return before
      + (max(first, againFrom)...last).filter { known(again[$0 - againFrom]) == .station($0) }
  }

  private func heard(_ client: StreamClient) -> [Heard] {
    let body = client.body
    var heard: [Heard] = []
    var from = 0
    while let length = MPEGHeader(in: body.span, at: from)?.frameBytes, from + length <= body.count
    {
      heard.append(Self.known(Array(body[from..<from + length])))
      from += length
    }
    return heard
  }

  @Test func `live listeners hear the fallback in dead air, and every packet of sound once`()
    async throws
  {
    // Made before the programme begins, since that takes seconds.
    _ = try await (Self.station.prepared(seconds: 30), Self.again.prepared(seconds: 8))
    let other = try await Self.other.prepared(seconds: 20)
    let folder = TemporaryDirectory()
    folder.write("loop.mp3", (0..<Self.otherCount).flatMap { other[$0] })
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
      try await relay.until("jazz", has: 20)
      let events = try relay.events("?station=jazz")
      let live = try StreamClient(to: relay.address, get: "/jazz?burst=1")
      try await live.until("sound of the station") { heard($0).contains { $0 != .rest } }
      let past = try StreamClient(to: relay.address, get: "/jazz?offset=15&burst=1")
      func first(_ kind: String) async throws -> EventClient.Event {
        try await events.first(kind, within: 90) { event in
          live.drain()
          past.drain()
          return event.kind == kind
        }
      }
      try await past.until("sound of the past") { heard($0).contains { $0 != .rest } }
      // Under the lock nothing goes on air that is behind it already.
      func behindOnAir() -> Int { upstream.programme.packetsOnAir + 42 }
      let from = silent.withLock { silent in
        silent = behindOnAir()..<Int.max
        return silent.lowerBound
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
      silent.withLock { $0 = from..<behindOnAir() }
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
        let expected = try Self.sound(
          #require(own.first), through: #require(own.last), silenceFrom: from)
        #expect(own == expected, "every packet with sound, once, in order")
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
