import Foundation
import Longwave
import Synchronization
import TestSupport
import Testing
import Wire

/// Sound whose level is measured: the rule for loudness out of bounds, and waveforms of what was decoded.
@Suite struct LoudnessRuleTests {
  /// Frames of a tone, as loud in each second as `amplitude` says.
  private static func frames(_ seconds: Int, _ amplitude: (Int) -> Double) -> [[UInt8]] {
    let rate = LameFrames.rate
    return LameFrames.make(seconds: seconds) { index in
      let angle = 2 * Double.pi * 997 * Double(index % rate) / Double(rate)
      let value = amplitude(index / rate) * 32767 * sin(angle)
      return (Int16(value.rounded()), Int16((value / 2).rounded()))
    }
  }

  /// Seconds of the same loudness again and again.
  private enum Part: CaseIterable {
    case loud, soft, dead

    static let frames: [Part: [[UInt8]]] = [
      .loud: LoudnessRuleTests.frames(20) { _ in 0.2 },
      .soft: LoudnessRuleTests.frames(20) { _ in 0.01 },
      .dead: LoudnessRuleTests.frames(20) { _ in 0 },
    ]

    func frame(_ number: Int) -> [UInt8] {
      let frames = Self.frames[self] ?? []
      return frames[number % frames.count]
    }
  }

  /// -20 and -40 dBFS in turn, ten seconds each, for a minute of whole frames, which comes again.
  private static let steps = Array(frames(60) { $0 / 10 % 2 == 0 ? 0.1 : 0.01 }.prefix(2500))

  private func upstream(
    before: Double, _ frame: @escaping @Sendable (Int) -> [UInt8]
  ) throws -> FakeUpstream {
    let upstream = try FakeUpstream(
      FakeProgramme(sampleRate: LameFrames.rate, before: before, packet: frame))
    // All since the programme's beginning, so that media seconds are the programme's.
    upstream.reply("/live", with: .stream(FakeStream(burst: FakeStream.sinceBeginning)))
    return upstream
  }

  @Test func `soft sound is told once, not in dead air, and once when it is loud again`()
    async throws
  {
    // Made before the programme begins, since that takes seconds.
    let made = try await offPool { Part.frames }
    #expect(made.count == Part.allCases.count)
    let part = Mutex(Part.loud)
    let upstream = try upstream(before: 5) { number in part.withLock { $0 }.frame(number) }
    defer { upstream.stop() }
    var station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    var loudness = SoundRules.Loudness()
    (loudness.below, loudness.above, loudness.hold) = (-30, -9, 4)
    station.sound.loudness = loudness
    try await Scenario.withRelay([station]) { relay in
      let client = try relay.events("?station=jazz&kinds=loudness-out,loudness-back")
      func sound() async throws -> JSON? { try await relay.station("jazz")["sound"] }
      func shortTerm() async throws -> Double? {
        try await sound()?["loudness"]?["shortTerm"]?.double
      }
      func metric() async throws -> String? {
        try await relay.get("/metrics").text.split(separator: "\n")
          .first { $0.hasPrefix("longwave_station_loudness_out{station=\"jazz\"} ") }
          .map { String($0.split(separator: " ").last ?? "") }
      }
      try await eventually("loud", within: 60) { try await (shortTerm() ?? -120) > -20 }
      #expect(try await sound()?["loudnessState"]?.string == "within")
      #expect(try await metric() == "0" && client.events.isEmpty)

      part.withLock { $0 = .soft }
      let out = try await client.first("soft", within: 60) { $0.kind == "loudness-out" }
      #expect(out.json["bound"]?.string == "below")
      #expect((-45.0 ... -30).contains(out.json["loudness"]?.double ?? 0), "\(out.data)")
      #expect(try await sound()?["loudnessState"]?.string == "below")
      #expect(try await metric() == "-1")

      part.withLock { $0 = .dead }
      try await eventually("dead air", within: 60) { try await (shortTerm() ?? 0) < -70 }
      part.withLock { $0 = .soft }
      try await eventually("soft again", within: 60) { try await (shortTerm() ?? -120) > -46 }
      #expect(try await sound()?["loudnessState"]?.string == "below")

      part.withLock { $0 = .loud }
      let back = try await client.first("loud", within: 60) { $0.kind == "loudness-back" }
      let seconds = (back.json["media"]?.double ?? 0) - (out.json["media"]?.double ?? 0)
      #expect(seconds > 4 && abs((back.json["seconds"]?.double ?? 0) - seconds) < 0.01)
      #expect(try await sound()?["loudnessState"]?.string == "within")
      #expect(try await metric() == "0")
      #expect(client.events.map(\.kind) == ["loudness-out", "loudness-back"])

      // What is not watched any more is not left out of bounds.
      part.withLock { $0 = .soft }
      try await eventually("soft for good", within: 60) { client.events.count == 3 }
      _ = try await relay.relay.perform(.stop, on: "jazz")
      try await eventually("not watched any more", within: 60) {
        client.events.map(\.kind).suffix(2) == ["loudness-out", "loudness-back"]
      }
    }
  }

  private func waveform(
    _ relay: TestRelay, of id: String = "jazz", _ query: String
  ) async throws -> (media: Int, data: [UInt8], kind: String?, measured: Int) {
    let answer = try await relay.get("/api/v1/stations/\(id)/waveform?\(query)")
    let json = try #require(JSON.parse(answer.body), "\(answer.text)")
    #expect(json["secondsPerPoint"]?.integer == 1)
    let data = try #require(json["data"]?.string.flatMap { Data(base64Encoded: $0) })
    return (
      Int(json["media"]?.integer ?? 0), Array(data), json["kind"]?.string,
      Int(json["measured"]?.integer ?? -1)
    )
  }

  @Test func `seconds that were decoded have their measured level in the waveform`() async throws {
    let steps = try await offPool { Self.steps }
    #expect(steps.count == 2500)
    let upstream = try upstream(before: 25) { steps[$0 % steps.count] }
    defer { upstream.stop() }
    let jazz = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    let later = StationDefinition(
      id: "later", name: "Later", source: .copy(of: "jazz", delay: 5))
    try await Scenario.withRelay([jazz, later]) { relay in
      try await relay.until("jazz", has: 20)
      let early = try await waveform(relay, "from=0&to=8")
      #expect(early.kind == "estimate" && early.measured == 0 && early.data.count == 8)
      let watcher = try relay.events("?station=jazz&kinds=spectrum")
      var (from, range) = (0, "")
      // The newest are not measured yet.
      try await eventually("measured seconds", within: 60) {
        let whole = try await waveform(relay, "points=4096")
        #expect(whole.media == 0)
        for behind in 10..<20 where whole.data.count > behind && whole.measured >= 8 {
          from = whole.data.count - behind
          range = "from=\(from)&to=\(from + 8)&points=20"
          if try await waveform(relay, range).kind == "measured" { return true }
        }
        return false
      }
      let measured = try await waveform(relay, range)
      #expect(measured.kind == "measured" && measured.measured == 8 && measured.data.count == 8)
      for (second, byte) in zip(from..., measured.data) {
        // A decoder is late by a frame or two, so the first second of a step has some of the one before.
        if second % 10 == 0 { continue }
        let level = -96 + 0.375 * Double(byte)
        #expect(abs(level - Self.level(at: second)) < 0.4, "\(second): \(level)")
      }
      // What came before somebody watched stays as it was.
      #expect(try await waveform(relay, "from=0&to=8") == early)
      // Whoever listens later is told the same of it, once that is past for them.
      try await eventually("the same later") {
        try await waveform(relay, of: "later", range).data == measured.data
      }
      #expect(try await waveform(relay, of: "later", range).kind == "measured")
      withExtendedLifetime(watcher) {}
    }
  }

  /// dBFS of both channels together: the right one is 6.02 dB softer.
  private static func level(at second: Int) -> Double {
    (second / 10 % 2 == 0 ? -20 : -40) - 3.01 + 10 * log10(1.25 / 2)
  }
}
