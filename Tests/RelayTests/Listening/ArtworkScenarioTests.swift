import Longwave
import Reactor
import TestSupport
import Testing

/// Pictures of stations and titles, which the relay fetches for its pages.
@Suite struct ArtworkScenarioTests {
  private static let png: [UInt8] =
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Array(repeating: 7, count: 3000)

  private func withStation(
    _ body: (TestRelay, FakeUpstream) async throws -> Void
  ) async throws {
    let upstream = try FakeUpstream(.numbered(before: 8))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 8)))
    upstream.reply("/own.png", with: .file(Self.png, mediaType: "image/png"))
    upstream.reply("/other.png", with: .file(Self.png, mediaType: "image/png"))
    var station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    station.artwork = upstream.url("/own.png")
    try await Scenario.withRelay([station]) { relay in
      try await relay.until("jazz", has: 4)
      try await body(relay, upstream)
    }
  }

  @Test func `the station's picture is fetched once, and told like any page`() async throws {
    try await withStation { relay, upstream in
      let path = "/api/v1/stations/jazz/artwork"
      for _ in 0..<5 {
        let answer = try await relay.get(path)
        #expect(answer.status == 200 && answer.body == Self.png)
        #expect(answer.head["content-type"] == "image/png")
        #expect(answer.head["cache-control"] == "no-cache")
        let tag = try #require(answer.head["etag"])
        let again = try await relay.get(path, fields: ["If-None-Match: \(tag)"])
        #expect(again.status == 304)
      }
      #expect(upstream.requests(for: "/own.png").count == 1)
      let page = try await relay.get("/listen/jazz").text
      #expect(page.contains("<img src=\"\(path)\""))
    }
  }

  @Test func `a title's picture inside this machine is not fetched, and nothing is told of it`()
    async throws
  {
    try await withStation { relay, upstream in
      let secret = upstream.url("/other.png")
      let announced = try await HTTPExchange(
        "PUT", "/api/v1/stations/jazz/metadata", at: relay.address,
        fields: [
          "Authorization: Bearer \(Scenario.token)", "Content-Type: application/json",
        ],
        body: #"{"title":"Blue in Green","artist":"Miles Davis","url":"\#(secret)"}"#)
      #expect(announced.status == 200)
      try await eventually("the title has its picture") {
        try await relay.station("jazz")["nowPlaying"]?["artwork"]?.string == secret
      }
      let answer = try await relay.get("/api/v1/stations/jazz/artwork")
      // The station's own stands in for it.
      #expect(answer.status == 200 && answer.body == Self.png)
      #expect(upstream.requests(for: "/own.png").count == 1)
      #expect(upstream.requests(for: "/other.png").isEmpty)
    }
  }

  @Test func `a station without a picture, and one that is not there, are told apart`() async throws
  {
    try await withStation { relay, _ in
      _ = try await relay.relay.add(
        StationDefinition(id: "plain", upstream: ["http://127.0.0.1:1/"]))
      let plain = try await relay.get("/api/v1/stations/plain/artwork")
      #expect(plain.status == 404 && plain.text.contains("no-artwork"))
      let none = try await relay.get("/api/v1/stations/none/artwork")
      #expect(none.status == 404 && none.text.contains("unknown-station"))
      #expect(try await relay.get("/api/v1/stations/jazz/artwork?position=x").status == 400)
    }
  }
}
