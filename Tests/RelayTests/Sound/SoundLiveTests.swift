import Audio
import Foundation
import Glibc
import Longwave
import TestSupport
import Testing
import Wire

/// Levels, spectrum and pictures of sound as they are told while it goes by.
@Suite struct SoundLiveTests {
  private static let rate = LameFrames.rate
  private static let bands = try! SpectrumMeter(sampleRate: rate).frequencies

  /// A tone in one band, left at -20 dBFS and right at -26 dBFS: another band every 10 s.
  private static let tone = LameProgramme { index in
    let hertz = bands[band(at: Double(index / rate))]
    let value = 0.1 * sin(2 * Double.pi * hertz * Double(index) / Double(rate)) * 32767
    return (Int16(value.rounded()), Int16((value / 2).rounded()))
  }

  private static func band(at media: Double) -> Int { Int(media) / 10 % 2 == 0 ? 7 : 14 }

  private func withTone(
    _ change: (inout StationDefinition) -> Void = { _ in },
    _ body: (TestRelay) async throws -> Void
  ) async throws {
    let tone = try await Self.tone.prepared(seconds: 32)
    let upstream = try FakeUpstream(
      FakeProgramme(sampleRate: Self.rate, before: 30) { tone[$0] })
    defer { upstream.stop() }
    // Media seconds are the programme's.
    upstream.reply("/live", with: .stream(FakeStream(burst: FakeStream.sinceBeginning)))
    var station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    change(&station)
    try await Scenario.withRelay([station]) { relay in
      try await relay.until("jazz", has: 25)
      try await body(relay)
    }
  }

  private func expectTone(
    _ event: EventClient.Event, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let channels = event.json["channels"]?.items ?? []
    #expect(channels.count == 2, sourceLocation: sourceLocation)
    // A piece may hold the end of one tone and the beginning of the next.
    let media = event.json["media"]?.double ?? 0
    guard 0.2...9.8 ~= media.truncatingRemainder(dividingBy: 10) else { return }
    for (channel, rms) in zip(channels, [-23.01, -29.03]) {
      let measured = channel["rms"]?.double ?? 0
      #expect(abs(measured - rms) < 0.4, "\(event.data)", sourceLocation: sourceLocation)
      #expect(
        abs((channel["peak"]?.double ?? 0) - measured - 3.01) < 0.3, "\(event.data)",
        sourceLocation: sourceLocation)
      #expect(
        abs((channel["display"]?.double ?? 0) - (measured / 60 + 1)) < 0.001,
        sourceLocation: sourceLocation)
    }
    #expect((event.json["correlation"]?.double ?? 0) > 0.99, sourceLocation: sourceLocation)
  }

  @Test func `levels, bands and pictures are told of the live edge, keyed by media time`()
    async throws
  {
    try await withTone { relay in
      #expect(try await relay.station("jazz")["sound"]?["state"]?.string == "idle")
      let client = try relay.events("?station=jazz&kinds=levels,spectrum,sound")
      try await client.first("short-term loudness") {
        $0.kind == "levels" && $0.json["loudness"]?["shortTerm"]?.double != nil
      }
      try await client.first("a second picture") { event in
        event.kind == "sound"
          && client.events.first { $0.kind == "sound" }?.data != event.data
      }
      let told = client.events
      let levels = told.filter { $0.kind == "levels" }
      for event in levels { expectTone(event) }
      let times = levels.compactMap { $0.json["media"]?.double }
      #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "each place once, in order")
      for event in told where event.kind == "spectrum" {
        let media = event.json["media"]?.double ?? 0
        let bands = (event.json["bands"]?.items ?? []).map { $0["level"]?.double ?? 0 }
        // Where one tone follows the other, both stand in the bands for a while.
        guard media.truncatingRemainder(dividingBy: 10) > 2 else { continue }
        #expect(bands.firstIndex(of: bands.max() ?? 0) == Self.band(at: media), "\(event.data)")
      }
      let pictures = told.filter { $0.kind == "sound" }
      let columns = pictures.map { Data(base64Encoded: $0.json["data"]?.string ?? "")?.count ?? 0 }
      // A second of columns, and those that were made in the same turn.
      #expect(columns.allSatisfy { $0 >= 25 * 28 && $0 % 28 == 0 }, "\(columns)")
      let sound = try await relay.station("jazz")["sound"]
      #expect(sound?["state"]?.string == "measured" && sound?["channels"]?.items.count == 2)
      #expect(sound?["silent"]?.isNull == true && sound?["loudnessState"]?.isNull == true)
      // The two tones, as the ear's filter of R 128 weighs them.
      let loudness = sound?["loudness"]?["integrated"]?.double ?? 0
      #expect((-24.0 ... -19).contains(loudness), "\(loudness)")
    }
  }

  @Test func `a watcher of the past is told the levels of the past`() async throws {
    try await withTone { relay in
      let before = try await relay.edge(of: "jazz")
      let past = try relay.events("?station=jazz&kinds=levels,spectrum&offset=12")
      let first = try await past.first("levels") { $0.kind == "levels" }
      let media = first.json["media"]?.double ?? 0
      // From where the edge was then to where it is by now.
      let range = try await (before - 13.5)...(relay.nextEdge(of: "jazz") - 9.5)
      #expect(range.contains(media), "\(media), \(range)")
      let events = past.events
      for event in events where event.kind == "levels" { expectTone(event) }
      let wrong = try await relay.get("/events?kinds=levels&offset=12")
      #expect(wrong.status == 400 && wrong.text.contains("station"))
      for rate in ["0", "31", "fast"] {
        #expect(try await relay.get("/events?kinds=levels&rate=\(rate)").status == 400)
      }
    }
  }

  @Test func `a session is told the levels of its place`() async throws {
    try await withTone { relay in
      let token = "session-of-levels"
      let before = try await relay.edge(of: "jazz")
      let listener = try StreamClient(
        to: relay.address, get: "/jazz?offset=15&session=\(token)")
      try await eventually("audio") {
        listener.drain()
        return listener.body.count > 20_000
      }
      let client = try relay.events("?station=jazz&kinds=levels&session=\(token)")
      try await client.first("levels") { event in
        listener.drain()
        return event.kind == "levels"
      }
      let place = client.events.last?.json["media"]?.double ?? 0
      // From where the edge was when it began to where it is by now.
      let range = try await (before - 19)...(relay.nextEdge(of: "jazz") - 11)
      #expect(range.contains(place), "\(place), \(range)")
    }
  }

  @Test func `sound is decoded while somebody watches, and for some seconds after`() async throws {
    try await withTone { relay in
      var client: EventClient? = try relay.events("?station=jazz&kinds=levels&rate=2")
      try await client?.first("levels") { $0.kind == "levels" }
      #expect(try await relay.station("jazz")["sound"]?["state"]?.string == "measured")
      client = nil
      try await eventually("idle") {
        try await relay.station("jazz")["sound"]?["state"]?.string == "idle"
      }
    }
  }

  @Test func `the setting levels: always measures without watchers, for the metrics too`()
    async throws
  {
    try await withTone({ $0.sound.levels = .always }) { relay in
      try await eventually("loudness") {
        try await relay.station("jazz")["sound"]?["loudness"]?["shortTerm"]?.double != nil
      }
      let metrics = try await relay.get("/metrics").text
      let line = metrics.split(separator: "\n").first { $0.contains("loudness_lufs{") } ?? ""
      #expect(line.hasPrefix("longwave_station_loudness_lufs{station=\"jazz\"} "))
      #expect((-24.0 ... -19).contains(Double(line.split(separator: " ").last ?? "") ?? 0))
      #expect(metrics.contains("longwave_station_clipped_samples_total{station=\"jazz\"} 0"))
      #expect(!metrics.contains("longwave_station_silent{"))
      #expect(!metrics.contains("longwave_station_loudness_out{"))
    }
  }

  @Test func `dead air is told when it has lasted, and when sound is back`() async throws {
    // The upstream is silent to this rule while the tone of the first band plays.
    try await withTone({ station in
      var silence = SoundRules.Silence()
      (silence.below, silence.hold) = (-10, 2)
      station.sound.silence = silence
      var clipping = SoundRules.Clipping()
      clipping.samples = 3
      station.sound.clipping = clipping
    }) { relay in
      let client = try relay.events("?station=jazz")
      let started = try await client.first("silence") { $0.kind == "silence-started" }
      // As long as the rule says, to the end of the twentieth of a second in which that was.
      #expect((2.0...2.05).contains(started.json["seconds"]?.double ?? 0), "\(started.data)")
      #expect((started.json["media"]?.double ?? -1) >= 0)
      #expect(try await relay.station("jazz")["sound"]?["silent"] == JSON.bool(true))
      #expect(
        try await relay.get("/metrics").text
          .contains("longwave_station_silent{station=\"jazz\"} 1"))
      #expect(client.events.allSatisfy { $0.kind != "levels" && $0.kind != "clipping" })
    }
  }
}
