import Longwave
import TestSupport
import Testing

/// What listeners get while the upstream is away, by the whole relay.
@Suite struct FallbackScenarioTests {
  private static let admin = ["Authorization: Bearer \(Scenario.token)"]
  private static let other: UInt64 = 1_000_000

  private func send(
    _ relay: TestRelay, _ method: String, _ path: String, _ body: String = ""
  ) async throws -> HTTPExchange {
    try await HTTPExchange(method, path, at: relay.address, fields: Self.admin, body: body)
  }

  /// A file of numbered packets behind an ID3 tag.
  private func file(_ packets: UInt64, in folder: TemporaryDirectory) -> String {
    let tag: [UInt8] =
      Array("ID3".utf8) + [4, 0, 0, 0, 0, 1, 0] + [UInt8](repeating: 0, count: 128)
    folder.write("loop.mp3", tag + NumberedFrames.stream(Self.other..<(Self.other + packets)))
    return folder.path + "/loop.mp3"
  }

  private func withStation(
    _ fallback: FallbackSetting, further: [StationDefinition] = [], paths: [String] = [],
    _ body: (TestRelay, FakeUpstream) async throws -> Void
  ) async throws {
    let upstream = try FakeUpstream(.numbered(before: 100))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 60)))
    var station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    station.fallback = fallback
    station.fallbackAfter = 1
    try await Scenario.withRelay([station] + further, change: { $0.server.paths = paths }) {
      relay in
      try await relay.until("jazz", has: 10)
      try await body(relay, upstream)
    }
  }

  /// The numbers of a listener's packets; nil for one that is none of ours.
  static func packets(_ body: [UInt8]) throws -> [UInt64?] {
    var rest = body[...]
    var packets: [UInt64?] = []
    while rest.count >= 418 {
      try #require(rest.starts(with: [0xFF, 0xFB]), "torn at \(rest.startIndex)")
      let length = rest[rest.startIndex + 2] & 2 == 0 ? 417 : 418
      packets.append(NumberedFrames.number(of: Array(rest.prefix(length))))
      rest = rest.dropFirst(length)
    }
    return packets
  }

  private func packets(_ client: StreamClient) throws -> [UInt64?] {
    try Self.packets(client.body)
  }

  /// Every packet of the station is there, once, in order.
  private func checkOwn(_ client: StreamClient) throws -> [UInt64] {
    let own = try packets(client).compactMap { $0 }.filter { $0 < Self.other }
    #expect(areUnbroken(own))
    return own
  }

  /// Goes through an outage: `isAway` says of its packets that a listener hears the fallback.
  private func outage(
    _ relay: TestRelay, _ upstream: FakeUpstream, shown: String,
    isAway: ([UInt64?]) -> Bool
  ) async throws -> StreamClient {
    let events = try relay.events("?station=jazz")
    let client = try StreamClient(to: relay.address, get: "/jazz?burst=1")
    try await client.until("the burst") { $0.bodyCount > 12_000 }
    upstream.goAway()
    try await client.until("the fallback") { try isAway(packets($0)) }
    let told = try #require(try await relay.station("jazz")["fallback"]?.string)
    // Administrators see where a file is.
    #expect(told == shown || told.hasPrefix(shown + ":/"))
    try await eventually("it is shown as on the fallback") {
      client.drain()
      let all = try await RelayAPI(address: relay.address).json("/api/v1/listeners")
      let listener = all["listeners"]?.items.first
      return listener?["state"]?.string == "fallback" && listener?["station"]?.string == "jazz"
    }
    let started = try await events.first("begun") { $0.kind == "fallback-started" }.json
    #expect(started["listeners"]?.integer == 1 && started["fallback"]?.string == shown)
    let last = try #require(try packets(client).compactMap { $0 }.last { $0 < Self.other })
    try upstream.comeBack()
    try await client.until("the station again") {
      try packets($0).contains { $0 == last + 100 }
    }
    let stopped = try await events.first("over") { $0.kind == "fallback-stopped" }.json
    #expect(stopped["seconds"]?.double ?? -1 > 0 && stopped["fallback"]?.string == shown)
    #expect(try await relay.station("jazz")["fallback"]?.isNull == true)
    #expect(try checkOwn(client).count > 130)
    // Nothing of it is in the station's log.
    let clip = try await HTTPExchange("GET", "/jazz/clip?from=-30s", at: relay.address)
    #expect(clip.status == 200)
    #expect(areUnbroken(try NumberedFrames.numbers(in: clip.body)))
    return client
  }

  @Test func `a fallback station is pulled for the outage only, and heard until its end`()
    async throws
  {
    let second = try FakeUpstream(
      FakeProgramme(before: 100) { NumberedFrames.frame(Self.other + UInt64($0)) })
    defer { second.stop() }
    second.reply("/live", with: .stream())
    var other = StationDefinition(id: "jazz-2", upstream: [second.url("/live")])
    other.onDemand = true
    other.runOn = 0.2
    try await withStation(.station("jazz-2"), further: [other]) { relay, upstream in
      #expect(second.requests.isEmpty)
      let client = try await outage(relay, upstream, shown: "station:jazz-2") {
        $0.count { $0 ?? 0 >= Self.other } > 60
      }
      let heard = try packets(client).compactMap { $0 }.filter { $0 >= Self.other }
      #expect(areUnbroken(heard))
      try await relay.until("jazz-2", is: "paused", within: 60)
      #expect(try await relay.station("jazz-2")["listeners"]?["total"]?.integer == 0)
      withExtendedLifetime(client) {}
    }
  }

  @Test func `a fallback station that falls silent is no fallback until it is back`() async throws {
    let second = try FakeUpstream(
      FakeProgramme(before: 100) { NumberedFrames.frame(Self.other + UInt64($0)) })
    defer { second.stop() }
    second.reply("/live", with: .stream())
    let other = StationDefinition(id: "jazz-2", upstream: [second.url("/live")])
    try await withStation(.station("jazz-2"), further: [other]) { relay, upstream in
      try await relay.until("jazz-2", has: 3)
      let events = try relay.events("?station=jazz")
      let client = try StreamClient(to: relay.address, get: "/jazz?burst=1")
      try await client.until("the burst") { $0.bodyCount > 12_000 }
      upstream.goAway()
      func heard() throws -> Int { try packets(client).count { $0 ?? 0 >= Self.other } }
      try await client.until("the fallback") { _ in try heard() > 60 }
      second.goAway()
      _ = try await events.first("it is over") { $0.kind == "fallback-stopped" }
      #expect(try await relay.station("jazz")["fallback"]?.isNull == true)
      let before = try heard()
      try second.comeBack()
      try await client.until("the fallback again") { _ in try heard() > before + 60 }
      #expect(try await relay.station("jazz")["fallback"]?.string == "station:jazz-2")
    }
  }

  @Test func `a fallback file is heard over and over, without its tags`() async throws {
    let folder = TemporaryDirectory()
    let path = file(100, in: folder)
    try await withStation(.file(path)) { relay, upstream in
      let client = try await outage(relay, upstream, shown: "file") {
        // More than once around.
        $0.count { $0 ?? 0 >= Self.other } > 180
      }
      let heard = try packets(client)
      #expect(!heard.contains(nil))
      let looped = heard.compactMap { $0 }.filter { $0 >= Self.other }
      let follows = zip(looped, looped.dropFirst()).allSatisfy {
        ($0 - Self.other + 1) % 100 == $1 - Self.other
      }
      #expect(follows)
      #expect(
        try await RelayAPI(address: relay.address).json("/api/v1/stations")["stations"]?.items.count
          == 1)
      withExtendedLifetime((client, folder)) {}
    }
  }

  @Test func `a fallback of silence is in the station's own format, as long as it takes`()
    async throws
  {
    try await withStation(.silence) { relay, upstream in
      let client = try await outage(relay, upstream, shown: "silence") {
        $0.count { $0 == nil } > 100
      }
      let changed = try await send(
        relay, "PATCH", "/api/v1/stations/jazz", #"{"fallback": null}"#)
      #expect(changed.status == 409)
      withExtendedLifetime(client) {}
    }
  }

  @Test func `a fallback that could never be heard is refused when it is written down`()
    async throws
  {
    let folder = TemporaryDirectory()
    folder.write("mono.mp3", try Fixtures.mp3(["-b", "64", "-m", "m"], channels: 1))
    folder.write("text.mp3", Array(String(repeating: "no audio ", count: 20_000).utf8))
    let good = file(100, in: folder)
    try await withStation(.silence, paths: [folder.path]) { relay, upstream in
      func add(_ id: String, _ fallback: String) async throws -> (Int, String) {
        let answer = try await send(
          relay, "POST", "/api/v1/stations",
          #"{"id": "\#(id)", "upstream": "\#(upstream.url("/live"))", "fallback": "\#(fallback)"}"#)
        return (answer.status, answer.text)
      }
      for (fallback, words) in [
        ("loud", "is not silence, station:ID"), ("station:none", "there is no station"),
        ("station:a", "is the station itself"),
        ("file:\(folder.path)", "is not a file"), ("file:\(folder.path)/text.mp3", "has no audio"),
        ("file:loop.mp3", "is not silence, station:ID"),
      ] {
        let (status, text) = try await add("a", fallback)
        #expect(status == 400 && text.contains(words), "\(fallback): \(text)")
      }
      // Over the network nobody is told which files there are.
      #expect(try await add("a", "file:\(folder.path)/none.mp3").0 == 403)
      #expect(try await add("a", "station:jazz").0 == 201)
      #expect(try await add("b", "station:a").0 == 201)
      func patch(_ id: String, _ fallback: String) async throws -> (Int, String) {
        let answer = try await send(
          relay, "PATCH", "/api/v1/stations/\(id)", #"{"fallback": "\#(fallback)"}"#)
        return (answer.status, answer.text)
      }
      let circle = try await patch("a", "station:b")
      #expect(circle.0 == 400 && circle.1.contains("circle: a, b, a"), "\(circle)")
      try await relay.until("a", has: 1)
      let mono = try await patch("a", "file:\(folder.path)/mono.mp3")
      #expect(
        mono.0 == 400 && mono.1.contains("mono, the station's mp3 44100 Hz, stereo"), "\(mono)")
      #expect(try await patch("a", "file:\(good)").0 == 200)
      let used = try await send(relay, "DELETE", "/api/v1/stations/a")
      #expect(used.status == 409 && used.text.contains("is the fallback of"))
      withExtendedLifetime(folder) {}
    }
  }

  @Test func `a fallback that does not fit by then is not heard, and an event says why`()
    async throws
  {
    let folder = TemporaryDirectory()
    let path = file(100, in: folder)
    try await withStation(.file(path)) { relay, upstream in
      let events = try relay.events("?station=jazz")
      let client = try StreamClient(to: relay.address, get: "/jazz?burst=1")
      try await client.until("the burst") { $0.bodyCount > 12_000 }
      folder.write("loop.mp3", try Fixtures.mp3(["-b", "64", "-m", "m"], channels: 1))
      upstream.goAway()
      let refused = try await events.first("refused") { $0.kind == "fallback-refused" }.json
      #expect(refused["reason"]?.string?.contains("its format is mp3 44100 Hz, mono") == true)
      // Mended while nobody looks: it is taken.
      _ = file(100, in: folder)
      try await client.until("the fallback") {
        try packets($0).contains { $0 ?? 0 >= Self.other }
      }
      try upstream.comeBack()
      let last = try #require(try packets(client).compactMap { $0 }.last { $0 < Self.other })
      try await client.until("the station") { try packets($0).contains(last + 20) }
      _ = try checkOwn(client)
      withExtendedLifetime(folder) {}
    }
  }
}
