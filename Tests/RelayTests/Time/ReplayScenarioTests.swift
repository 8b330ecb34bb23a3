import Foundation
import Ingest
import Longwave
import Reactor
import TestSupport
import Testing
import Timeshift

/// Which minutes listeners went back to, as strangers are told.
@Suite struct ReplayScenarioTests {
  private let upstream: FakeUpstream
  private let stations: [StationDefinition]

  init() throws {
    upstream = try FakeUpstream(.numbered(before: 500))
    upstream.reply("/live", with: .stream(FakeStream(burst: 400)))
    let later = StationDefinition(id: "later", name: "Later", source: .copy(of: "jazz", delay: 30))
    stations = [StationDefinition(id: "jazz", upstream: [upstream.url("/live")]), later]
  }

  private func withRelay(_ body: (TestRelay) async throws -> Void) async throws {
    defer { upstream.stop() }
    // The past comes at once, and addresses are told by a proxy.
    try await Scenario.withRelay(
      stations,
      change: {
        $0.upstream.leadMax = 500
        $0.server.trustedProxies = [AddressRange("127.0.0.0/8")!]
      }
    ) { relay in
      try await relay.until("jazz", has: 390)
      try await body(relay)
    }
  }

  private func client(
    _ relay: TestRelay, _ path: String, from address: String
  ) async throws -> StreamClient {
    let client = try StreamClient(
      to: relay.address,
      sending: "GET \(path) HTTP/1.1\r\nHost: relay.test\r\nX-Forwarded-For: \(address)\r\n\r\n")
    _ = try await client.answer()
    return client
  }

  private func told(
    _ relay: TestRelay, _ id: String = "jazz"
  ) async throws -> (media: Int, data: [UInt8]) {
    let answer = try await relay.get("/api/v1/stations/\(id)/replayed")
    #expect(answer.status == 200, "\(answer.text)")
    let json = try #require(JSON.parse(answer.body))
    #expect(json["station"]?.string == id && json["secondsPerPoint"]?.integer == 60)
    let data = try #require(json["data"]?.string.flatMap { Data(base64Encoded: $0) })
    return (try #require(json["media"]?.integer), Array(data))
  }

  private func live(_ relay: TestRelay) async throws -> Double {
    let timeline = try await RelayAPI(address: relay.address).json("/api/v1/stations/jazz/timeline")
    return try #require(timeline["live"]?["media"]?.double)
  }

  @Test func `a minute shows once three addresses hear it, and one with two does not`() async throws
  {
    try await withRelay { relay in
      #expect(try await told(relay).data == [])
      var clients: [StreamClient] = []
      for number in 1...3 {
        clients.append(try await client(relay, "/jazz?offset=120", from: "192.0.2.\(number)"))
      }
      // Two people with several connections, and one with addresses of the same customer.
      for number in 1...2 {
        for _ in 0..<2 {
          clients.append(try await client(relay, "/jazz?offset=300", from: "192.0.2.\(number)"))
        }
      }
      for number in 1...3 {
        let path = "/later?offset=120"
        clients.append(try await client(relay, path, from: "2001:db8:7:\(number)::1"))
      }
      // Live, nearly live, and paused: none of them hears what was.
      for number in 5...7 {
        clients.append(try await client(relay, "/jazz", from: "192.0.2.\(number)"))
        clients.append(try await client(relay, "/jazz?offset=30", from: "192.0.2.\(number)"))
        let path = "/jazz?offset=200&session=paused_\(number)"
        clients.append(try await client(relay, path, from: "192.0.2.\(number)"))
        let paused = try await HTTPExchange(
          "POST", "/api/v1/sessions/paused_\(number)", at: relay.address,
          fields: ["X-Forwarded-For: 192.0.2.\(number)"], body: #"{"action":"pause"}"#)
        #expect(paused.status == 200, "\(paused.text)")
      }
      // Hours from now, so that the relay's own looks at the clock change nothing.
      var now = Moment.now().adding(seconds: 30_000)
      let shown = try await eventually("a minute that shows") {
        for client in clients { client.drain() }
        now = now.adding(seconds: 60)
        await relay.relay.keepFigures(at: now)
        let shown = try await told(relay)
        return shown.data.isEmpty ? nil : shown
      }
      let heard = try await live(relay) - 120
      #expect(abs(Double(shown.media) + 30 - heard) < 60, "\(shown), \(heard)")
      // A walk through the end of a minute shows two.
      #expect(shown.data.contains(255) && shown.data.count <= 2, "\(shown)")
      #expect(try await told(relay, "later").data == [])

      // Strangers are told what is up to a second old.
      let newest = try await relay.relay.replayed(of: "jazz")
      try await eventually("the newest answer") { try await told(relay).data == newest.data }
      let first = try await relay.get("/api/v1/stations/jazz/replayed")
      let tag = try #require(first.head["etag"])
      let second = try await relay.get(
        "/api/v1/stations/jazz/replayed", fields: ["If-None-Match: \(tag)"])
      #expect(second.status == 304 && second.body.isEmpty)
      // Within the clock's minute it stays the same, whoever comes.
      clients.append(try await client(relay, "/jazz?offset=300", from: "192.0.2.99"))
      await relay.relay.keepFigures(at: now)
      #expect(try await relay.relay.replayed(of: "jazz") == newest)
    }
  }

  @Test func `an unknown station, or one of files, has no replayed minutes`() async throws {
    defer { upstream.stop() }
    let folder = TemporaryDirectory()
    folder.write("a.mp3", try Fixtures.mp3(["-b", "128"], seconds: 1))
    let files = StationDefinition(
      id: "files", name: "Files", source: .files(folder.path, throttleBypass: nil))
    try await Scenario.withRelay([files]) { relay in
      let none = try await relay.get("/api/v1/stations/files/replayed")
      #expect(none.status == 404 && none.text.contains("no-timeline"))
      #expect(try await relay.get("/api/v1/stations/none/replayed").status == 404)
    }
  }
}
