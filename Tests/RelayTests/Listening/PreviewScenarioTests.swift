import Longwave
import Server
import TestSupport
import Testing
import Timeshift
import Wire

/// Links to moments, as programs that show them beside a message see them.
@Suite struct PreviewScenarioTests {
  /// A relay with a station that has announced two titles.
  private func withStation(
    _ change: (inout StationDefinition) -> Void = { _ in },
    _ body: (TestRelay, [(title: String, since: String)]) async throws -> Void
  ) async throws {
    let titles = [(1000, "Miles Davis - So What"), (1400, "John Coltrane - Naima")].map {
      FakeProgramme.TitleChange(packet: $0.0, $0.1)
    }
    let upstream = try FakeUpstream(.numbered(before: 60, titles: titles))
    defer { upstream.stop() }
    var stream = FakeStream(burst: 50)
    stream.metaint = 1000
    upstream.reply("/live", with: .stream(stream))
    var station = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    change(&station)
    try await Scenario.withRelay([station]) { relay in
      try await relay.until("jazz", has: 40)
      let timeline = try await eventually("both titles") {
        let told = try await RelayAPI(address: relay.address).json("/api/v1/stations/jazz/timeline")
        return told["titles"]?.items.count == 2 ? told["titles"]?.items : nil
      }
      let heard = timeline.compactMap { title in
        title["title"]?.string.flatMap { name in title["since"]?.string.map { (name, $0) } }
      }
      try await body(relay, heard)
    }
  }

  private func title(_ relay: TestRelay, _ query: String) async throws -> String {
    let page = try await relay.get("/listen/jazz?\(query)").text
    let found = try #require(page.firstMatch(of: /property="og:title" content="([^"]*)"/))
    return String(found.output.1)
  }

  @Test func `a link to a moment is shown by its title, and one that is gone by the station`()
    async throws
  {
    try await withStation { relay, titles in
      for (name, artist) in [("So What", "Miles Davis"), ("Naima", "John Coltrane")] {
        let since = try #require(titles.first { $0.title == name }).since
        let moment = try WallTime(parsing: since).adding(seconds: 1)
        let clock = String(moment.rfc3339.dropFirst(11).prefix(5))
        let wanted = "\(name) – \(artist), \(clock) on jazz"
        #expect(try await title(relay, "at=\(moment.rfc3339)") == wanted)
        let end = moment.adding(seconds: 5).rfc3339
        #expect(try await title(relay, "clip=\(moment.rfc3339)/\(end)") == wanted)
      }
      for query in ["at=2020-01-01T00:00:00Z", "at=2100-01-01T00:00:00Z", "at=x", "offset=10", ""] {
        #expect(try await title(relay, query) == "jazz – Longwave", "\(query)")
      }
    }
  }

  @Test func `a station that is heard live only shows no moment`() async throws {
    try await withStation({ $0.shift = false }) { relay, titles in
      let since = try #require(titles.first).since
      let moment = try WallTime(parsing: since).adding(seconds: 1).rfc3339
      #expect(try await title(relay, "at=\(moment)") == "jazz – Longwave")
    }
  }

  @Test func `a station for members shows moments to members alone`() async throws {
    var auth = AuthSettings()
    auth.tokens = ["key-of-jazz"]
    let given = auth
    try await withStation({ $0.auth = given }) { relay, titles in
      let since = try #require(titles.first).since
      let moment = try WallTime(parsing: since).adding(seconds: 1).rfc3339
      for token in ["", "&token=wrong"] {
        #expect(try await title(relay, "at=\(moment)\(token)") == "jazz – Longwave")
        let page = try await relay.get("/listen/jazz?at=\(moment)\(token)").text
        let image = page.firstMatch(of: /property="og:image" content="([^"]*)"/)
        #expect(image?.output.1.contains("position") != true)
      }
      #expect(
        try await title(relay, "at=\(moment)&token=key-of-jazz").hasPrefix("So What – Miles Davis"))
    }
  }
}
