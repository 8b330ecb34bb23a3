import Foundation
import Longwave
import Server
import TestSupport
import Testing

@Suite struct APIScenarioTests {
  private static let stationKeys: Set<String> = [
    "id", "name", "description", "genre", "homepage", "artwork", "state", "stateReason", "upstream",
    "format", "window", "listeners", "nowPlaying",
  ]
  private static let partKeys: [String: Set<String>] = [
    "upstream": ["url", "command", "connectedSince", "attempts", "bytes", "skipped"],
    "format": ["codec", "mediaType", "bitrate", "sampleRate", "channels"],
    "window": [
      "oldest", "live", "oldestPosition", "livePosition", "seconds", "bytes", "secondsMax",
      "bytesMax", "onDisk",
    ],
    "listeners": ["now", "peak", "total"],
    "nowPlaying": ["title", "artist", "url", "artwork", "since", "item", "kind"],
  ]
  private static let listenerKeys: Set<String> = [
    "id", "station", "address", "user", "player", "protocol", "connectedAt", "seconds", "bytes",
    "offset",
    "lag", "state", "session", "nowPlaying",
  ]

  private func withStation(
    _ body: (TestRelay, FakeUpstream) async throws -> Void
  ) async throws {
    let titles = [FakeProgramme.TitleChange(packet: 0, "Miles Davis - So \\ \"What\"")]
    let upstream = try FakeUpstream(.numbered(before: 100, titles: titles))
    defer { upstream.stop() }
    var stream = FakeStream(burst: 6)
    stream.metaint = 4000
    upstream.reply(
      "/live", with: .stream(stream, fields: [("icy-name", "Jazz FM"), ("icy-genre", "Jazz")]))
    let url = upstream.url("/live", user: "me:secret") + "?key=hidden"
    upstream.reply("/live?key=hidden", with: .stream(stream, fields: [("icy-name", "Jazz FM")]))
    var jazz = StationDefinition(id: "jazz", upstream: [url])
    // Who is live stays so where nobody reads for a while.
    jazz.behind = .skip
    jazz.lagMax = 60
    let stations = [jazz, StationDefinition(id: "empty", upstream: [upstream.url("/none")])]
    try await Scenario.withRelay(stations) { relay in
      try await relay.until("jazz", has: 5)
      try await relay.until("empty", is: "failed")
      try await body(relay, upstream)
    }
  }

  @Test func `every key of a station is there, null where nothing is known`() async throws {
    try await withStation { relay, _ in
      let answer = try await relay.get("/api/v1/stations")
      #expect(answer.status == 200 && answer.head["content-type"] == "application/json")
      let stations = try #require(JSON.parse(answer.body))["stations"]?.items ?? []
      #expect(stations.map { $0["id"]?.string } == ["jazz", "empty"])
      for station in stations {
        #expect(station.keys.isSuperset(of: Self.stationKeys))
        for (part, keys) in Self.partKeys {
          #expect(station[part]?.keys.isSuperset(of: keys) == true, "\(part)")
        }
      }
      let (jazz, empty) = (stations[0], stations[1])
      #expect(jazz["name"]?.string == "Jazz FM")
      #expect(jazz["nowPlaying"]?["artist"]?.string == "Miles Davis")
      #expect(jazz["nowPlaying"]?["title"]?.string == "So \\ \"What\"")
      #expect(jazz["format"]?["codec"]?.string == "mp3")
      #expect(jazz["format"]?["bitrate"]?.integer == 128)
      #expect(jazz["format"]?["sampleRate"]?.integer == 44_100)
      #expect(jazz["window"]?["live"]?.string?.hasSuffix("Z") == true)
      #expect(empty["format"]?["codec"]?.isNull == true)
      #expect(empty["window"]?["oldest"]?.isNull == true)
      #expect(empty["nowPlaying"]?["since"]?.isNull == true)
      // Nobody without a token learns a password, in whatever part of the URL it is.
      #expect(!answer.text.contains("secret") && !answer.text.contains("hidden"))
      let unknown = try await relay.get("/api/v1/stations/rock")
      #expect(unknown.status == 404)
      #expect(JSON.parse(unknown.body)?["error"]?["code"]?.string == "unknown-station")
    }
  }

  @Test func `supervisors and monitors get what they read`() async throws {
    try await withStation { relay, _ in
      #expect(try await relay.get("/healthz").status == 200)
      #expect(try await relay.get("/readyz").status == 200)
      let listener = try StreamClient(to: relay.address, get: "/jazz")
      _ = try await listener.answer()
      let metrics = try await relay.get("/metrics")
      #expect(metrics.head["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
      let samples = try PrometheusText.samples(of: metrics.text)
      for name in ["listener_lag_seconds", "listener_offset_seconds", "session_seconds"] {
        let all = try #require(samples["longwave_\(name)_count"])
        #expect(samples["longwave_\(name)_bucket{le=\"+Inf\"}"] == all)
        #expect(samples["longwave_\(name)_sum"] != nil)
      }
      #expect(samples[#"longwave_listeners{station="jazz"}"#] == 1)
      #expect(samples[#"longwave_station_playing{station="jazz"}"#] == 1)
      #expect(samples[#"longwave_station_playing{station="empty"}"#] == 0)
      #expect(samples[#"longwave_station_state{station="empty",state="failed"}"#] == 1)
      #expect(samples["longwave_stations"] == 2)
      let stats = try JSON.parse(await relay.get("/api/v1/stats").body)
      #expect(stats?["listeners"]?["now"]?.integer == 1)
      let history = try JSON.parse(await relay.get("/api/v1/stations/jazz/history").body)
      #expect(history?["history"]?.items.first?["artist"]?.string == "Miles Davis")
    }
  }

  @Test func `events tell of an upstream that goes away and comes back`() async throws {
    try await withStation { relay, upstream in
      let states = try EventClient(at: relay.address, "?station=jazz&kinds=state,reconnected")
      let head = try await states.answer()
      #expect(head["content-type"] == "text/event-stream")
      upstream.goAway()
      let lost = try await states.first("connecting") {
        $0.json["state"]?.string == "connecting"
      }
      #expect(lost.kind == "state" && lost.json["station"]?.string == "jazz")
      #expect(lost.json["reason"]?.string?.isEmpty == false)
      try upstream.comeBack()
      let playing = try await states.first("playing") { $0.json["state"]?.string == "playing" }
      let reconnected = try await states.first("reconnected") { $0.kind == "reconnected" }
      #expect(reconnected.json.keys.isSuperset(of: ["stitchedSeconds", "lostSeconds"]))
      #expect(playing.id > lost.id)
      #expect(states.events.map(\.id) == states.events.map(\.id).sorted())
      // A client that comes back with the last id it saw gets what it missed, and nothing twice.
      let again = try EventClient(at: relay.address, "?station=jazz", after: lost.id)
      try await again.first("playing") { $0.kind == "playing" }
      #expect(again.events.allSatisfy { $0.id > lost.id })
      let wrong = try await relay.get("/events?kinds=statte")
      #expect(wrong.status == 400 && wrong.text.contains("state"))
    }
  }

  @Test func `administration over TCP is for those who have the token`() async throws {
    try await withStation { relay, upstream in
      let body = #"{"id":"rock","upstream":["\#(upstream.url("/live"))"]}"#
      func add(_ fields: [String]) async throws -> HTTPExchange {
        try await HTTPExchange(
          "POST", "/api/v1/stations", at: relay.address, fields: fields, body: body)
      }
      let refused = try await add([])
      #expect(refused.status == 401 && refused.head["www-authenticate"] != nil)
      #expect(try await add(["Authorization: Bearer scenario-tokem"]).status == 401)
      // any:wrong-token
      #expect(try await add(["Authorization: Basic YW55Ondyb25nLXRva2Vu"]).status == 401)
      #expect(try await relay.get("/api/v1/listeners").status == 401)
      #expect(try await add(["Authorization: Bearer \(Scenario.token)"]).status == 201)
      #expect(try await add(["Authorization: Bearer \(Scenario.token)"]).status == 409)
      // anybody:scenario-token
      let basic = "Authorization: Basic YW55Ym9keTpzY2VuYXJpby10b2tlbg=="
      let listener = try StreamClient(to: relay.address, get: "/jazz")
      _ = try await listener.answer()
      var listed = JSON.null
      try await eventually("it is live") {
        listener.drain()
        let listeners = try await relay.get("/api/v1/listeners?station=jazz", fields: [basic])
        listed = JSON.parse(listeners.body)?["listeners"]?.items.first ?? .null
        return listed["state"]?.string == "live"
      }
      #expect(listed.keys.isSuperset(of: Self.listenerKeys))
      #expect(listed["player"]?.string == "test")
      let id = try #require(listed["id"]?.integer)
      let kick = try await HTTPExchange(
        "DELETE", "/api/v1/listeners/\(id)", at: relay.address, fields: [basic])
      #expect(kick.status == 204)
      try await eventually("the kicked listener's end") {
        listener.drain()
        return listener.isEnded
      }
      #expect(areUnbroken(try NumberedFrames.numbers(in: listener.body)))
      let removed = try await HTTPExchange(
        "DELETE", "/api/v1/stations/rock", at: relay.address, fields: [basic])
      #expect(removed.status == 204)
      #expect(try await relay.get("/rock").status == 404)
    }
  }

  @Test func `a listener who has left is counted by how long it listened`() async throws {
    try await withStation { relay, _ in
      let listener = try StreamClient(to: relay.address, get: "/jazz")
      try await listener.until { $0.bodyCount > 1000 }
      listener.hangUp()
      try await eventually("the session is counted", within: 60) {
        let samples = try PrometheusText.samples(of: try await relay.get("/metrics").text)
        return samples["longwave_session_seconds_count"] == 1
      }
    }
  }

  @Test(.enabled(if: Binary.find("promtool") != nil, "promtool is in Debian's package prometheus"))
  func `promtool finds nothing wrong with the metrics`() async throws {
    try await withStation { relay, _ in
      let metrics = try await relay.get("/metrics").text
      let folder = TemporaryDirectory()
      try metrics.write(toFile: folder.path + "/metrics", atomically: true, encoding: .utf8)
      let result = try await ChildProcess.run([
        "sh", "-c", "promtool check metrics < '\(folder.path)/metrics'",
      ])
      #expect(result.status == 0 && result.log.isEmpty, "\(result.log)")
    }
  }

  @Test func `a relay without a token is administered by nobody over TCP`() async throws {
    try await Scenario.withRelay([], change: { $0.admin.token = "" }) { relay in
      for fields in [[], ["Authorization: Bearer "], ["Authorization: Basic Og=="]] {
        let answer = try await relay.get("/api/v1/listeners", fields: fields)
        #expect(answer.status == 403)
      }
    }
  }
}

/// The text format of Prometheus, version 0.0.4, read strictly.
enum PrometheusText {
  struct Malformed: Error, CustomStringConvertible {
    var line: Int
    var description: String
  }

  /// The samples by name and labels as written. Every family has its HELP and TYPE before its samples, and comes once.
  static func samples(of text: String) throws -> [String: Double] {
    var samples: [String: Double] = [:]
    var families: Set<String> = []
    var family = ""
    /// The family, if it is a histogram.
    var histogram = ""
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.last == "" else { throw Malformed(line: lines.count, description: "no line end") }
    for (index, line) in lines.dropLast().enumerated() {
      func malformed(_ what: String) -> Malformed {
        Malformed(line: index + 1, description: "\(what): \(line)")
      }
      if let help = line.wholeMatch(of: /# HELP ([a-z_:][a-z0-9_:]*) \S.*/) {
        guard families.insert(String(help.1)).inserted else { throw malformed("family twice") }
        family = ""
      } else if let type = line.wholeMatch(
        of: /# TYPE ([a-z_:][a-z0-9_:]*) (counter|gauge|histogram)/)
      {
        family = String(type.1)
        guard families.contains(family) else { throw malformed("TYPE without HELP") }
        histogram = type.2 == "histogram" ? family : ""
        guard (type.2 == "counter") == family.hasSuffix("_total") else {
          throw malformed("a counter's name ends in _total, no other does")
        }
      } else if let sample = line.wholeMatch(of: sampleLine) {
        let parts = ["_bucket", "_sum", "_count"].map { histogram + $0 }
        let isOurs =
          histogram.isEmpty ? String(sample.1) == family : parts.contains(String(sample.1))
        guard isOurs, let value = Double(sample.3) else {
          throw malformed("a sample of another family, or without a number")
        }
        let key = String(sample.1) + String(sample.2 ?? "")
        guard samples.updateValue(value, forKey: key) == nil else { throw malformed("twice") }
      } else {
        throw malformed("neither comment nor sample")
      }
    }
    return samples
  }

  private static var sampleLine: Regex<(Substring, Substring, Substring?, Substring)> {
    let label = #"[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*""#
    let pattern = #"([a-z_:][a-z0-9_:]*)(\{\#(label)(?:,\#(label))*\})? (-?[0-9.eE+-]+|NaN|\+Inf)"#
    return try! Regex(pattern, as: (Substring, Substring, Substring?, Substring).self)
  }
}
