import Longwave
import TestSupport
import Testing

/// Stations whose titles come from a page.
@Suite struct MetadataScenarioTests {
  private func withStation(
    _ page: FakeReply, _ body: (TestRelay, FakeUpstream) async throws -> Void
  ) async throws {
    let spots = (0..<100).map { FakeProgramme.TitleChange(packet: $0 * 60, "Spot \($0)") }
    let upstream = try FakeUpstream(.numbered(before: 20, titles: spots))
    defer { upstream.stop() }
    var stream = FakeStream(burst: 4)
    stream.metaint = 1000
    upstream.reply("/live", with: .stream(stream))
    upstream.reply("/now?key=secret", with: page)
    let station =
      #"{"id":"jazz","upstream":"\#(upstream.url("/live"))","metadata":{"interval":1,"#
      + #""url":"\#(upstream.url("/now?key=secret"))"}}"#
    try await Scenario.withRelay([]) { relay in
      let added = try await HTTPExchange(
        "POST", "/api/v1/stations", at: relay.address,
        fields: ["Authorization: Bearer \(Scenario.token)"], body: station)
      #expect(added.status == 201, "\(added.text)")
      try await body(relay, upstream)
    }
  }

  private static func xml(_ title: String) -> FakeReply {
    let text =
      "<n><song><title>\(title)</title><artist>Nina Simone</artist><image>http://h/a.jpg</image></song></n>"
    return .file(Array(text.utf8), mediaType: "text/xml")
  }

  @Test func `listeners, the API and the history have artist, song and picture`() async throws {
    try await withStation(Self.xml("Sinnerman")) { relay, upstream in
      try await eventually("the title", within: 60) {
        try await relay.station("jazz")["nowPlaying"]?["title"]?.string == "Sinnerman"
      }
      let listener = try StreamClient(to: relay.address, get: "/jazz", titles: true)
      let block = "StreamTitle='Nina Simone - Sinnerman';StreamUrl='http://h/a.jpg';"
      try await listener.until("the block") {
        $0.body.firstRange(of: Array(block.utf8)) != nil
      }
      #expect(listener.body.firstRange(of: Array("Spot".utf8)) == nil)
      upstream.reply("/now?key=secret", with: Self.xml("Feeling Good"))
      try await eventually("the next title", within: 60) {
        try await relay.station("jazz")["nowPlaying"]?["title"]?.string == "Feeling Good"
      }
      let station = try await relay.station("jazz")
      #expect(station["nowPlaying"]?["artist"]?.string == "Nina Simone")
      #expect(station["nowPlaying"]?["artwork"]?.string == "http://h/a.jpg")
      #expect(station["metadata"]?["failures"]?.integer == 0)
      #expect(station["metadata"]?["answers"]?.integer ?? 0 > 0)
      let open = try JSON.parse(await relay.get("/api/v1/stations/jazz").body)
      #expect(open?["metadata"]?["url"]?.string == upstream.url("/now"))
      let history =
        try await RelayAPI(address: relay.address)
        .json("/api/v1/stations/jazz/history")["history"]?.items ?? []
      #expect(history.map { $0["title"]?.string } == ["Feeling Good", "Sinnerman"])
      #expect(history.first?["end"]?.isNull == true)
      #expect(history.last?["end"]?.string == history.first?["since"]?.string)
      #expect(history.last?["seconds"]?.double ?? 0 > 0)
    }
  }

  @Test func `a page that fails is an event, and the stream's titles count again`() async throws {
    try await withStation(.status(404)) { relay, upstream in
      let events = try relay.events("?station=jazz&kinds=not-found,metadata-live")
      let failed = try await events.first("the failure") { $0.kind == "not-found" }
      #expect(failed.json["of"]?.string == "metadata")
      #expect(failed.json["url"]?.string == upstream.url("/now"))
      let title = try await events.first("a title") { $0.kind == "metadata-live" }
      #expect(title.json["title"]?.string?.hasPrefix("Spot") == true)
      let station = try await relay.station("jazz")
      #expect(station["metadata"]?["trouble"]?.string == "the page answered 404")
    }
  }
}
