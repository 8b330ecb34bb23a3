import Audio
import Glibc
import Longwave
import TestSupport
import Testing
import Timeshift
import Wire

/// Stations that are made of another one, at fewer bits.
@Suite struct RenditionScenarioTests {
  private static func rendition(
    _ bitrate: Int, onDemand: Bool = false, _ change: (inout PCMEncoding) -> Void = { _ in }
  ) -> StationDefinition {
    var made = StationDefinition(id: "jazz-\(bitrate)", source: .rendition(of: "jazz"))
    var encoding = PCMEncoding()
    encoding.bitrate = bitrate
    change(&encoding)
    made.encode = encoding
    made.mounts = ["/jazz/\(bitrate)"]
    made.onDemand = onDemand
    return made
  }

  private func withStations(
    _ renditions: [StationDefinition], data: TemporaryDirectory = TemporaryDirectory(),
    burst: Double = 40, change: (inout StationDefinition) -> Void = { _ in },
    _ body: (TestRelay, FakeUpstream) async throws -> Void
  ) async throws {
    let upstream = try await PitchStation.upstream(before: 240, burst: burst)
    defer { upstream.stop() }
    try await withRelay(renditions, of: upstream, data: data, change: change) {
      try await body($0, upstream)
    }
  }

  private func withRelay(
    _ renditions: [StationDefinition], of upstream: FakeUpstream, data: TemporaryDirectory,
    change: (inout StationDefinition) -> Void = { _ in }, _ body: (TestRelay) async throws -> Void
  ) async throws {
    var jazz = StationDefinition(id: "jazz", name: "Jazz", upstream: [upstream.url("/live")])
    change(&jazz)
    // A rendition may stand in front of what it is made of.
    try await Scenario.withRelay(renditions + [jazz], data: data, change: { _ in }, body)
  }

  // MARK: What is heard

  /// Seconds of the round that are heard in the middle of samples of one channel.
  private func place(_ samples: ArraySlice<Int16>, _ rate: Int) throws -> Double {
    var rises: [Double] = []
    for index in samples.indices.dropFirst() {
      let (before, after) = (Double(samples[index - 1]), Double(samples[index]))
      if before < 0, after >= 0 { rises.append(Double(index) - after / (after - before)) }
    }
    let first = try #require(rises.first)
    let last = try #require(rises.last)
    let pitch = Double(rises.count - 1) * Double(rate) / (last - first)
    return (pitch - PitchStation.lowest) / PitchStation.climb
  }

  /// What a clip sounds like each half second from its beginning; nil where a round begins.
  private func places(
    of station: String, from: WallTime, to: WallTime, _ relay: TestRelay
  ) async throws -> [Double?] {
    let clip = try await relay.get("/\(station)/clip?from=\(from.rfc3339)&to=\(to.rfc3339)")
    #expect(clip.status == 200, "\(clip.text)")
    let decoder = try Mpg123Decoder()
    let samples = try decoder.decode(clip.body)
    let format = try #require(decoder.format)
    let left = stride(from: 0, to: samples.count, by: format.channels).map { samples[$0] }
    let rate = format.sampleRate
    return try stride(from: rate / 2, to: left.count - rate / 4, by: rate / 2).map { middle in
      let place = try place(left[(middle - rate / 10)..<(middle + rate / 10)], rate)
      return (1..<PitchStation.round - 1).contains(place) ? place : nil
    }
  }

  private func expectSame(
    _ stations: [String], from: WallTime, to: WallTime, _ relay: TestRelay
  ) async throws {
    let original = try await places(of: "jazz", from: from, to: to, relay)
    #expect(original.count >= 10)
    for station in stations {
      let made = try await places(of: station, from: from, to: to, relay)
      #expect(abs(made.count - original.count) <= 1, "\(station)")
      for (here, there) in zip(original, made) {
        guard let here, let there else { continue }
        // Two packets: a clip begins with a whole one.
        #expect(abs(here - there) < 0.05, "\(station): \(there) s for \(here) s")
      }
    }
  }

  private func live(_ relay: TestRelay, _ id: String) async throws -> WallTime {
    try await relay.relay.timeline(of: id).live.air
  }

  @Test func `a rendition sounds like its original at each time, at the bits asked for`()
    async throws
  {
    let made = [
      Self.rendition(64), Self.rendition(32) { ($0.sampleRate, $0.isMono) = (22_050, true) },
      Self.rendition(96) { ($0.mode, $0.loudness) = (.stereo, -20) },
    ]
    try await withStations(made) { relay, _ in
      try await relay.until("jazz", has: 35)
      for rendition in made {
        try await relay.until(rendition.id, is: "playing")
        // A new rendition begins with a newcomer's burst.
        try await relay.until(rendition.id, has: 16)
      }
      let now = try await live(relay, "jazz")
      let ids = made.map(\.id)
      try await expectSame(
        ids, from: now.adding(seconds: -9), to: now.adding(seconds: -2), relay)
      for (id, bitrate, rate) in [
        ("jazz-64", 64, 48_000), ("jazz-32", 32, 22_050), ("jazz-96", 96, 48_000),
      ] {
        let station = try await relay.station(id)
        #expect(station["format"]?["bitrate"]?.integer == bitrate, "\(station.text)")
        #expect(station["format"]?["sampleRate"]?.integer == rate, "\(station.text)")
        // It is as near to live as its original, but for what a codec holds.
        let lag = try await live(relay, "jazz").seconds(since: try await live(relay, id))
        #expect(lag < 1.5, "\(id): \(lag) s")
      }
    }
  }

  @Test func `a rendition says what its original says, and its own bit rate`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply(
      "/live",
      with: .stream(
        FakeStream(burst: 6),
        fields: [
          ("icy-name", "Jazz FM"), ("icy-genre", "Jazz"), ("icy-description", "All night"),
          ("icy-br", "128"), ("ice-audio-info", "bitrate=128"),
        ]))
    let jazz = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    try await Scenario.withRelay([Self.rendition(64), jazz]) { relay in
      // The name is told when the upstream answers, the bit rate by the first packet.
      try await eventually("all of it is known") {
        let shown = try await relay.station("jazz-64")
        return shown["name"]?.string == "Jazz FM (64 kbit/s)" && shown["genre"]?.string == "Jazz"
          && shown["description"]?.string == "All night"
          && shown["format"]?["bitrate"]?.integer == 64
      }
      // One that comes later knows what was said before.
      #expect(try await relay.relay.add(Self.rendition(32)).genre == "Jazz")
    }
  }

  @Test func `titles come at the packet at which they come in the original`() async throws {
    try await withStations([Self.rendition(64)]) { relay, _ in
      try await relay.until("jazz-64", has: 25, within: 60)
      // The original is looked at last: it has what the rendition has.
      let there = try await relay.relay.timeline(of: "jazz-64")
      let here = try await relay.relay.timeline(of: "jazz")
      // The first was on already where the rendition begins.
      let made = there.titles.dropFirst()
      #expect(made.count >= 2)
      for title in made {
        let original = here.titles.first { $0.playing.title == title.playing.title }
        let since = try #require(original?.playing.since)
        let late = try #require(title.playing.since).seconds(since: since)
        #expect(abs(late) < 0.04, "\(title.playing.title ?? "?"): \(late) s")
      }
    }
  }

  @Test func `a rendition is chosen by bit rate, and answers name it`() async throws {
    let made = [Self.rendition(64), Self.rendition(96)]
    try await withStations(made) { relay, _ in
      for id in ["jazz", "jazz-64", "jazz-96"] { try await relay.until(id, has: 3) }
      for (path, bitrate) in [
        ("/jazz/64", "64"), ("/jazz-64", "64"), ("/jazz?bitrate=64", "64"),
        ("/jazz?bitrate=95", "64"), ("/jazz?bitrate=96", "96"), ("/jazz?bitrate=20", "64"),
        ("/jazz?bitrate=500", "128"), ("/jazz", "128"), ("/jazz-64?bitrate=500", "64"),
      ] {
        let client = try StreamClient(to: relay.address, get: path)
        #expect(try await client.answer()["icy-br"] == bitrate, "\(path)")
      }
      let wrong = try await relay.get("/jazz?bitrate=lots")
      #expect(wrong.status == 400 && wrong.text.contains(#""field":"bitrate""#), "\(wrong.text)")
      // What is not there is told with what is.
      for path in ["/jazz/33", "/jazz-33"] {
        let none = try await relay.get(path)
        let words = "nothing at \(path). jazz has the renditions /jazz/64, /jazz/96."
        #expect(none.status == 404 && none.text.contains(words), "\(none.text)")
      }
      for (path, field) in [
        ("/jazz?reverse=1", "reverse"), ("/jazz/pcm?bitrate=64", "bitrate"),
        ("/jazz/pcm?chanels=1", "chanels"), ("/jazz/clip?from=-5s&revers=1", "revers"),
      ] {
        let slip = try await relay.get(path)
        let named = slip.text.contains(#""field":"\#(field)""#)
        #expect(slip.status == 400 && named, "\(path): \(slip.text)")
      }
      let led = try await relay.get("/listen/jazz/64?offset=5m")
      #expect(led.status == 302)
      #expect(led.head["location"] == "/listen/jazz?bitrate=64&offset=5m")
      let list = try await relay.get("/jazz/64.m3u")
      #expect(list.status == 200 && list.text.contains("/jazz-64"), "\(list.text)")
      let chosen = try await relay.get("/jazz.m3u?bitrate=64")
      #expect(chosen.text.contains("/jazz-64"), "\(chosen.text)")
      let announced = try await HTTPExchange(
        "PUT", "/api/v1/stations/jazz-64/metadata", at: relay.address,
        fields: ["Authorization: Bearer \(Scenario.token)"], body: #"{"title":"x"}"#)
      #expect(announced.status == 409 && announced.text.contains("jazz"), "\(announced.text)")
    }
  }

  @Test func `a station without renditions refuses to choose a bit rate`() async throws {
    try await withStations([]) { relay, _ in
      let rated = try await relay.get("/jazz?bitrate=64")
      #expect(rated.status == 400 && rated.text.contains("jazz has no renditions"), "\(rated.text)")
      let other = try await relay.get("/jazz/64")
      #expect(
        other.status == 404 && other.text.contains(#"nothing at /jazz/64.""#), "\(other.text)")
    }
  }

  @Test func `a session that moves between renditions stays at its time`() async throws {
    try await withStations([Self.rendition(64), Self.rendition(96)]) { relay, _ in
      for id in ["jazz", "jazz-64", "jazz-96"] { try await relay.until(id, has: 14) }
      let seed = UInt64.random(in: 0...UInt64.max)
      var random = SplitMix(seed: seed)
      /// When what the session hears next was on air.
      func air(_ token: String) async throws -> Double {
        let shown = try await RelayAPI(address: relay.address).json("/api/v1/sessions/\(token)")
        let offset = try #require(shown["offset"]?.double)
        let live = try #require(shown["window"]?["live"]?.string)
        #expect(shown["state"]?.string == "paused", "\(shown.text)")
        return try WallTime(parsing: live).seconds - offset
      }
      func listen(_ path: String) async throws -> StreamClient {
        let client = try StreamClient(to: relay.address, get: path)
        try await client.until("the head") { $0.received.count > 100 }
        return client
      }
      for number in 0..<200 {
        let token = "session-number-\(number)"
        let offset = Double.random(in: 1..<9, using: &random)
        var client = try await listen("/jazz?session=\(token)&offset=\(offset)&burst=0.2")
        let paused = try await HTTPExchange(
          "POST", "/api/v1/sessions/\(token)", at: relay.address, body: #"{"action":"pause"}"#)
        #expect(paused.status == 200)
        // From here on a place is that of the next packet, not what is heard of those before.
        client = try await listen("/jazz?session=\(token)")
        let before = try await air(token)
        // Each move may go back to the beginning of a packet.
        for (moves, path) in ["/jazz/64", "/jazz-96", "/jazz"].enumerated() {
          client = try await listen("\(path)?session=\(token)")
          let after = try await air(token)
          let moved = after - before
          #expect(
            moved > -0.03 * Double(moves + 1) && moved < 0.005,
            "\(number) at \(path): \(moved) s, seed \(seed)")
        }
        withExtendedLifetime(client) {}
      }
    }
  }

  // MARK: What may happen

  @Test func `a rendition on demand is made while somebody listens, and wakes its original`()
    async throws
  {
    var made = Self.rendition(64, onDemand: true)
    made.runOn = 0.2
    try await withStations([made], change: { ($0.onDemand, $0.runOn) = (true, 0.2) }) {
      relay, upstream in
      try await relay.until("jazz-64", is: "paused")
      try await relay.until("jazz", is: "paused")
      #expect(try await relay.station("jazz-64")["stateReason"]?.string == "nobody listens")
      #expect(upstream.requests.isEmpty)
      let listener = try StreamClient(to: relay.address, get: "/jazz/64")
      try await listener.until("audio") { $0.bodyCount > 30_000 }
      try await relay.until("jazz-64", is: "playing")
      try await relay.until("jazz", is: "playing")
      // A grace of seconds and a look each ten: it stays as long as the rendition does.
      let before = listener.bodyCount
      try await listener.until("it goes on", within: 90) { $0.bodyCount > before + 25 * 8000 }
      #expect(upstream.requests.count == 1)
      listener.hangUp()
      try await relay.until("jazz-64", is: "paused", within: 60)
      try await relay.until("jazz", is: "paused", within: 60)
      // Whoever comes later hears what is live, and nothing of the past of both.
      try await Task.sleep(for: .seconds(11))
      let end = try await live(relay, "jazz")
      let late = try StreamClient(to: relay.address, get: "/jazz/64?session=a-late-listener")
      try await late.until("audio", within: 60) { $0.bodyCount > 3000 }
      let shown = try await RelayAPI(address: relay.address).json(
        "/api/v1/sessions/a-late-listener")
      let air = try #require(shown["connection"]?["air"]?.string)
      #expect(try WallTime(parsing: air).seconds > end.seconds, "\(shown.text)")
    }
  }

  @Test func `a pulled station on demand that a reload makes a rendition wakes each time`()
    async throws
  {
    var made = Self.rendition(64, onDemand: true)
    made.runOn = 0.2
    var pulled = made
    (pulled.source, pulled.encode) = (.upstream(["http://127.0.0.1:9/"]), nil)
    try await withStations([pulled]) { relay, _ in
      try await relay.until("jazz", is: "playing")
      var configuration = await relay.relay.configuration
      let index = try #require(configuration.stations.firstIndex { $0.id == made.id })
      configuration.stations[index] = made
      #expect(try await relay.relay.apply(configuration).changed == [made.id])
      for _ in 0..<2 {
        try await relay.until(made.id, is: "paused", within: 60)
        let listener = try StreamClient(to: relay.address, get: "/jazz/64")
        try await listener.until("audio", within: 60) { $0.bodyCount > 3000 }
        try await relay.until(made.id, is: "playing", within: 60)
        listener.hangUp()
      }
    }
  }

  @Test func `a gap of the original is one of the rendition, and the times are right behind it`()
    async throws
  {
    try await withStations([Self.rendition(64)], burst: 2) { relay, upstream in
      try await relay.until("jazz-64", has: 12, within: 60)
      upstream.goAway()
      try await Task.sleep(for: .seconds(8))
      try upstream.comeBack()
      let gap = try await eventually("a gap in both", within: 60) {
        let here = try await relay.relay.timeline(of: "jazz").gaps.last
        let there = try await relay.relay.timeline(of: "jazz-64").gaps.last
        return here.flatMap { here in there.map { (here, $0) } }
      }
      #expect(abs(gap.0.seconds - gap.1.seconds) < 0.1, "\(gap)")
      let since = try await live(relay, "jazz")
      try await eventually("ten more seconds", within: 60) {
        try await live(relay, "jazz-64").seconds(since: since) > 10
      }
      try await expectSame(
        ["jazz-64"], from: since.adding(seconds: 1), to: since.adding(seconds: 9), relay)
    }
  }

  @Test func `a rendition goes on after a restart where it was, with its past`() async throws {
    let data = TemporaryDirectory()
    let made = Self.rendition(64)
    let upstream = try await PitchStation.upstream(before: 240, burst: 40)
    defer { upstream.stop() }
    var end: StationTimeline.Place?
    try await withRelay([made], of: upstream, data: data) { relay in
      try await relay.until("jazz-64", has: 14, within: 60)
      end = try await relay.relay.timeline(of: "jazz-64").live
    }
    try await withRelay([made], of: upstream, data: data) { relay in
      let before = try #require(end)
      // On a busy machine the relay may have been away for longer than a rendition catches up with: that is a gap.
      let timeline = try await eventually("new audio", within: 120) {
        let timeline = try await relay.relay.timeline(of: "jazz-64")
        let begin = max(before.media, timeline.gaps.last?.media ?? 0)
        return timeline.live.media - begin > 14 ? timeline : nil
      }
      #expect(timeline.oldest.position == 0 && timeline.live.position > before.position)
      let now = timeline.live.air
      try await expectSame(
        ["jazz-64"], from: now.adding(seconds: -8), to: now.adding(seconds: -2), relay)
      try await expectSame(
        ["jazz-64"], from: before.air.adding(seconds: -9), to: before.air.adding(seconds: -1),
        relay)
    }
  }

  @Test func `a rendition's new bit rate counts from then on, and listeners stay`() async throws {
    try await withStations([]) { relay, _ in
      try await relay.until("jazz", has: 12)
      _ = try await relay.relay.add(Self.rendition(64))
      try await relay.until("jazz-64", has: 5)
      let listener = try StreamClient(to: relay.address, get: "/jazz/64")
      try await listener.until("audio") { $0.bodyCount > 20_000 }
      await #expect(throws: RelayError.self) { try await relay.relay.remove("jazz") }
      let changed = try await relay.relay.change(
        "jazz-64", by: ["encode": ["bitrate": .integer(96)]])
      #expect(changed.id == "jazz-64")
      try await eventually("the other bit rate") {
        listener.drain()
        return try await relay.station("jazz-64")["format"]?["bitrate"]?.integer ?? 0 > 80
      }
      let before = listener.bodyCount
      try await listener.until("it goes on") { $0.bodyCount > before + 30_000 }
      #expect(!listener.isEnded)
      try await relay.relay.remove("jazz-64")
      try await listener.until("its end") { $0.isEnded }
    }
  }

  @Test func `a rendition that cannot be made is refused in words`() async throws {
    try await withStations([Self.rendition(64)]) { relay, _ in
      func add(_ body: String) async throws -> HTTPExchange {
        try await HTTPExchange(
          "POST", "/api/v1/stations", at: relay.address,
          fields: ["Authorization: Bearer \(Scenario.token)"], body: body)
      }
      for (body, words) in [
        (#"{"id":"a","of":"jazz-64","encode":{"bitrate":32}}"#, #"name \"jazz\""#),
        (#"{"id":"a","of":"rock","encode":{"bitrate":32}}"#, #"no station \"rock\""#),
        (#"{"id":"a","of":"a","encode":{"bitrate":32}}"#, "is the station itself"),
        (#"{"id":"a","of":"jazz","encode":{"bitrate":33}}"#, "MP3 has"),
        (#"{"id":"a","of":"jazz","encode":{"bitrate":500}}"#, "256, 320 kbit/s"),
        (
          #"{"id":"a","of":"jazz","encode":{"bitrate":256,"samplerate":22050}}"#,
          "144, 160 kbit/s at 22050 Hz"
        ),
        (#"{"id":"a","of":"jazz","delay":60,"encode":{"bitrate":32}}"#, "delay"),
        (#"{"id":"a","of":"jazz","encode":{"format":"s16le"}}"#, "format:"),
        (#"{"id":"a","of":"jazz","encode":{"loudness":-3}}"#, "-40 to -5"),
        (#"{"id":"a","of":"jazz","encode":{"mode":"dual"}}"#, "joint or stereo"),
        (#"{"id":"a","upstream":"http://x.test/","renditions":[{"id":"64"}]}"#, "of: and encode:"),
        (#"{"id":"a","of":"jazz"}"#, "encode:"),
      ] {
        let answer = try await add(body)
        #expect(
          answer.status == 400 && answer.text.contains(words), "\(body): \(answer.text)")
      }
    }
  }
}
