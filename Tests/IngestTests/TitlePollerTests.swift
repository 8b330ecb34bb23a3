import TestSupport
import Testing
import Timeshift
import Wire

@testable import Ingest

/// Stations whose titles come from a page, asked over real connections.
@Suite(.serialized) struct TitlePollerTests {
  private static var programme: FakeProgramme { .numbered(speed: 5) }

  private static func page(
    _ text: String, fields: [(String, String)] = []
  ) -> FakeReply {
    page(Array(text.utf8), fields: fields)
  }

  private static func page(_ bytes: [UInt8], fields: [(String, String)] = []) -> FakeReply {
    var reply = FakeReply.file(bytes, mediaType: "text/plain")
    reply.fields += fields
    return reply
  }

  private static func song(_ text: String) -> String {
    #"{"icestats":{"source":{"listenurl":"http://h/a","title":"\#(text)"}}}"#
  }

  /// A station that plays, asks `/now` a few times a second, and has said so much.
  private func play(
    _ upstream: FakeUpstream, _ pages: [FakeReply], metaint: Int? = nil,
    setUp: (inout MetadataSettings) -> Void = { _ in },
    until condition: (IngestHarness) async -> Bool
  ) async throws -> IngestHarness {
    upstream.reply("/now", with: pages)
    var stream = FakeStream(burst: 4)
    stream.metaint = metaint
    upstream.reply("/live", with: .stream(stream))
    var settings = IngestHarness.quick([upstream.url("/live")])
    var metadata = MetadataSettings(url: upstream.url("/now"))
    metadata.interval = 0.05
    setUp(&metadata)
    settings.metadata = metadata
    let station = try IngestHarness()
    await station.start(settings)
    #expect(await station.wait(until: condition))
    return station
  }

  @Test func `titles come from the page, each once`() async throws {
    let upstream = try FakeUpstream(Self.programme)
    defer { upstream.stop() }
    let pages = ["One", "One", "One", "Two", "Two", "One"].map { Self.page(Self.song($0)) }
    let station = try await play(upstream, pages) { station in
      await station.ingest.status(station: "test")?.metadata?.answers ?? 0 >= 8
    }
    let audio = await station.finish()
    #expect(station.titles.map(\.title) == ["One", "Two", "One"])
    #expect(station.log.titles(limit: 9).map(\.title.text) == ["One", "Two", "One"])
    try expectUnbroken(audio, atLeast: 1)
    let request = try #require(upstream.requests(for: "/now").first)
    #expect(request.fields["user-agent"]?.hasPrefix("Mozilla/") == true)
    #expect(request.fields["icy-metadata"] == nil)
  }

  @Test func `artist, song and picture stay apart`() async throws {
    let upstream = try FakeUpstream(Self.programme)
    defer { upstream.stop() }
    let xml =
      "<?xml version=\"1.0\"?><n><song><title>Café</title><artist>A</artist><image>http://h/a.jpg</image></song></n>"
    let station = try await play(upstream, [Self.page(xml)]) { !$0.log.titles(limit: 1).isEmpty }
    _ = await station.finish()
    let title = station.log.titles(limit: 1).first?.title
    #expect(
      title
        == Title(
          text: "A - Café", url: "http://h/a.jpg",
          parts: TitleParts(artist: "A", title: "Café", artwork: "http://h/a.jpg")))
  }

  @Test(
    arguments: [
      ("text/plain", "", "koi8-r"), ("text/plain; charset=koi8-r", "", nil),
      ("text/xml", "<?xml version=\"1.0\" encoding=\"koi8-r\"?>", nil),
    ] as [(String, String, String?)])
  func `the page's charset is the one given, or the one it names`(
    type: String, declaration: String, charset: String?
  ) async throws {
    let upstream = try FakeUpstream(Self.programme)
    defer { upstream.stop() }
    let start = declaration.isEmpty ? "" : declaration + "<n><song><title>"
    let word: [UInt8] = [0xED, 0xC9, 0xD2]  // Мир
    let end = declaration.isEmpty ? "" : "</title></song></n>"
    let reply = FakeReply.file(Array(start.utf8) + word + Array(end.utf8), mediaType: type)
    let station = try await play(upstream, [reply]) {
      $0.charset = charset.flatMap { try? CharsetName($0) }
    } until: {
      !$0.titles.isEmpty
    }
    _ = await station.finish()
    #expect(station.titles.map(\.title) == ["Мир"])
  }

  @Test func `a page that has not changed is not sent again`() async throws {
    let upstream = try FakeUpstream(Self.programme)
    defer { upstream.stop() }
    let tags = [("ETag", "\"1\""), ("Last-Modified", "Thu, 28 May 2026 20:26:40 GMT")]
    let unchanged = FakeReply(
      statusLine: "HTTP/1.1 304 Not Modified", fields: [("Content-Length", "0")], body: .bytes([]))
    let station = try await play(upstream, [Self.page("One", fields: tags), unchanged]) { station in
      await station.ingest.status(station: "test")?.metadata?.answers ?? 0 >= 4
    }
    let status = await station.ingest.status(station: "test")?.metadata
    _ = await station.finish()
    #expect(status?.failures == 0 && station.titles.map(\.title) == ["One"])
    let requests = upstream.requests(for: "/now")
    #expect(requests[0].fields["if-none-match"] == nil)
    #expect(requests[2].fields["if-none-match"] == "\"1\"")
    #expect(requests[2].fields["if-modified-since"] == "Thu, 28 May 2026 20:26:40 GMT")
  }

  @Test(
    arguments: [
      ("404", [FakeReply.status(404)], MetadataTrouble.status(404)),
      ("nobody", [.hangUp], nil), ("silence", [.silence], .timeout),
      ("other", [page("<html><body>no</body></html>")], nil),
      ("endless", [page([UInt8](repeating: 0x61, count: 300_000))], nil),
    ] as [(String, [FakeReply], MetadataTrouble?)])
  func `a page that fails is told of once and counted`(
    name: String, pages: [FakeReply], trouble: MetadataTrouble?
  ) async throws {
    let upstream = try FakeUpstream(Self.programme)
    defer { upstream.stop() }
    let station = try await play(upstream, pages) {
      $0.timeout = 0.2
    } until: { station in
      await station.ingest.status(station: "test")?.metadata?.failures ?? 0 >= 3
    }
    let status = await station.ingest.status(station: "test")?.metadata
    // And it is well again as soon as the page is.
    upstream.reply("/now", with: Self.page("Back"))
    #expect(await station.wait { $0.titles.map(\.title) == ["Back"] })
    let healed = await station.ingest.status(station: "test")?.metadata
    let audio = await station.finish()
    let told = station.events.compactMap {
      if case .metadataFailed(let trouble, let url) = $0 { (trouble, url) } else { nil }
    }
    #expect(told.count == 1 && told.first?.1 == upstream.url("/now"))
    if let trouble { #expect(told.first?.0 == trouble) }
    #expect(status?.answers == 0 && status?.trouble == told.first?.0.reason)
    #expect(healed?.trouble == nil && healed?.answers ?? 0 > 0)
    try expectUnbroken(audio, atLeast: 1)
  }

  @Test func `a page that fails is asked half as often each time, but at least every five minutes`()
  {
    func wait(_ failures: Int, _ interval: Double, _ retryAfter: Double? = nil) -> Double {
      TitlePoller.wait(afterFailures: failures, interval: interval, retryAfter: retryAfter)
    }
    #expect((1...6).map { wait($0, 10) } == [20, 40, 80, 160, 300, 300])
    #expect(wait(100_000, 10) == 300)
    #expect(wait(3, 1800) == 1800)
    #expect(wait(1, 10, 5) == 20 && wait(1, 10, 900) == 900 && wait(1, 10, 1e9) == 3600)
  }

  @Test func `the upstream's titles do not count as long as the page answers`() async throws {
    var programme = Self.programme
    programme.titles = (0..<400).map { .init(packet: $0 * 40, "Spot \($0)") }
    let upstream = try FakeUpstream(programme)
    defer { upstream.stop() }
    let station = try await play(upstream, [Self.page("A - B")], metaint: 500) {
      $0.titles.count == 1 && $0.log.edgePosition > NumberedFrames.position(of: 400)
    }
    #expect(station.titles.map(\.title) == ["A - B"])
    // The third failure in a row gives the word back to the upstream.
    upstream.reply("/now", with: .status(500))
    #expect(await station.wait { $0.titles.count >= 3 })
    upstream.reply("/now", with: Self.page("C - D"))
    #expect(await station.wait { $0.titles.contains { $0.title == "C - D" } })
    _ = await station.finish()
    #expect(station.titles[1].title.hasPrefix("Spot"))
  }

  @Test func `a page and an upstream that both give titles count whenever they say something new`()
    async throws
  {
    var programme = Self.programme
    programme.titles = [.init(packet: 0, "A - B"), .init(packet: 400, "C - D")]
    let upstream = try FakeUpstream(programme)
    defer { upstream.stop() }
    let same = #"{"t":"B","a":"A"}"#
    let station = try await play(upstream, [Self.page(same)], metaint: 300) {
      $0.isInstead = false
      $0.page.kind = .json
      $0.page.paths.title = "t"
      $0.page.paths.artist = "a"
    } until: { station in
      await station.ingest.status(station: "test")?.metadata?.answers ?? 0 > 0
        && station.titles.contains { $0.title == "C - D" }
    }
    // What it says late is no news.
    let before = await station.ingest.status(station: "test")?.metadata?.answers ?? 0
    #expect(
      await station.wait { station in
        await station.ingest.status(station: "test")?.metadata?.answers ?? 0 > before + 3
      })
    _ = await station.finish()
    #expect(station.titles.map(\.title) == ["A - B", "C - D"])
  }

  @Test func `a page of titles is not asked while its station rests`() async throws {
    let upstream = try FakeUpstream(Self.programme)
    defer { upstream.stop() }
    let station = try await play(upstream, [Self.page("One"), Self.page("Two")]) {
      $0.titles.count == 2
    }
    await station.ingest.pause(station: "test")
    let asked = upstream.requests(for: "/now").count
    // As many turns as it would have asked several times in.
    try await Task.sleep(for: .milliseconds(500))
    #expect(upstream.requests(for: "/now").count <= asked + 1)
    upstream.reply("/now", with: Self.page("Three"))
    await station.ingest.resume(station: "test")
    #expect(await station.wait { $0.titles.count == 3 })
    _ = await station.finish()
    #expect(station.titles.map(\.title) == ["One", "Two", "Three"])
  }

  @Test func `titles from a page are moved like others, and by the station's rules taken apart`()
    async throws
  {
    let upstream = try FakeUpstream(Self.programme)
    defer { upstream.stop() }
    upstream.reply("/now", with: Self.page("Song by Somebody"))
    var stream = FakeStream(burst: 4)
    stream.metaint = nil
    upstream.reply("/live", with: .stream(stream))
    var settings = IngestHarness.quick([upstream.url("/live")])
    settings.metadata = MetadataSettings(url: upstream.url("/now"))
    settings.titlePatterns = [try TitlePattern("{title} by {artist}")]
    settings.titleShift = 3
    let station = try IngestHarness()
    await station.start(settings)
    #expect(await station.wait { !$0.log.titles(limit: 1).isEmpty })
    _ = await station.finish()
    let mark = try #require(station.log.titles(limit: 1).first)
    #expect(mark.title.parts == TitleParts(artist: "Somebody", title: "Song"))
    #expect(mark.media.seconds >= 3)
  }
}
