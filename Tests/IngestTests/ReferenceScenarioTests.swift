import Glibc
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Ingest

/// Where redirects, playlists and pages may lead, over real connections.
@Suite(.serialized) struct ReferenceScenarioTests {
  private static func text(_ text: String) -> FakeReply {
    .file(Array(text.utf8), mediaType: "text/plain")
  }

  private func played(
    _ settings: UpstreamSettings, until condition: (IngestHarness) async -> Bool
  ) async throws -> IngestHarness {
    let station = try IngestHarness()
    await station.start(settings)
    #expect(await station.wait(until: condition))
    return station
  }

  @Test func `a page that redirects to another host gives no title`() async throws {
    let upstream = try FakeUpstream(.numbered(speed: 5))
    let inside = try FakeUpstream(.numbered(), isIPv6: true)
    defer {
      upstream.stop()
      inside.stop()
    }
    inside.reply("/secret", with: Self.text("the first line of a secret"))
    upstream.reply("/now", with: .redirect(to: inside.url("/secret")))
    upstream.reply("/live", with: .stream())
    var settings = IngestHarness.quick([upstream.url("/live")])
    settings.metadata = MetadataSettings(url: upstream.url("/now"))
    settings.metadata?.interval = 0.05
    let station = try await played(settings) { station in
      await station.ingest.status(station: "test")?.metadata?.failures ?? 0 >= 2
    }
    _ = await station.finish()
    #expect(station.titles.isEmpty)
    #expect(inside.requests.isEmpty)
  }

  @Test func `a list from the world does not lead to this machine, and its next entry plays`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(speed: 5), isIPv6: true)
    let inside = try FakeUpstream(.numbered(speed: 5))
    defer {
      upstream.stop()
      inside.stop()
    }
    // What the first names is refused, and the next of the list is played all the same.
    upstream.reply(
      "/list", with: Self.text("#EXTM3U\n\(inside.url("/a"))\n\(upstream.url("/live"))\n"))
    upstream.reply("/live", with: .stream())
    let station = try IngestHarness(oddities: .worldly)
    await station.start(IngestHarness.quick([upstream.url("/list")]))
    #expect(await station.wait { $0.log.edgePosition > 0 })
    _ = await station.finish()
    #expect(inside.requests.isEmpty)
  }

  /// In a process of its own: the environment is everybody's.
  @Test func `a proxy for https alone does not open the way inwards for http`() async {
    await #expect(processExitsWith: .success) {
      setenv("https_proxy", "http://127.0.0.1:1", 1)
      let outside = try FakeUpstream(.numbered(speed: 5), isIPv6: true)
      let inside = try FakeUpstream(.numbered(speed: 5))
      inside.reply("/a", with: .stream())
      outside.reply("/live", with: .redirect(to: inside.url("/a")))
      let station = try IngestHarness(oddities: .worldly)
      await station.start(IngestHarness.quick([outside.url("/live")]))
      let isRefused = await station.wait(20) {
        Expectation.event("http-error", "led to this machine from outside").hasCome(in: $0)
      }
      let isUntouched = inside.requests.isEmpty && station.log.edgePosition == 0
      _ = await station.finish()
      try #require(isRefused && isUntouched && !outside.requests.isEmpty)
    }
  }

  @Test(arguments: ["http://u:secret@[::1]:1/x?key=hidden", "http://[::1"])
  func `a proxy's password and a URL's query are in no event that all may see`(
    _ url: String
  ) async throws {
    var settings = IngestHarness.quick([url])
    settings.proxy = "bogus://u:secret@127.0.0.1:1"
    let station = try await played(settings) {
      !$0.events.filter { $0.kind == "http-error" }.isEmpty
    }
    _ = await station.finish()
    for event in station.events {
      if case .failure(let reason, _) = event {
        #expect(!reason.contains("secret") && !reason.contains("hidden"))
      }
    }
  }

  @Test func `a page may move on its own host`() async throws {
    let upstream = try FakeUpstream(.numbered(speed: 5))
    defer { upstream.stop() }
    upstream.reply("/now", with: .redirect(to: "/b/now"))
    upstream.reply("/b/now", with: Self.text("One"))
    upstream.reply("/live", with: .stream())
    var settings = IngestHarness.quick([upstream.url("/live")])
    settings.metadata = MetadataSettings(url: upstream.url("/now"))
    let station = try await played(settings) { !$0.titles.isEmpty }
    _ = await station.finish()
    #expect(station.titles.map(\.title) == ["One"])
  }

  @Test(arguments: ["redirect", "playlist"])
  func `a station's own header lines go to the servers it names only`(_ way: String) async throws {
    let upstream = try FakeUpstream(.numbered(speed: 5))
    let other = try FakeUpstream(.numbered(speed: 5))
    defer {
      upstream.stop()
      other.stop()
    }
    upstream.reply(
      "/live",
      with: way == "redirect"
        ? .redirect(to: other.url("/a")) : Self.text("#EXTM3U\n\(other.url("/a"))\n"))
    other.reply("/a", with: .redirect(to: "/b"))
    other.reply("/b", with: .stream())
    var settings = IngestHarness.quick([upstream.url("/live", user: "me:secret")])
    settings.requestHeaders = ["X-Key: secret", "Cookie: id=secret"]
    let station = try await played(settings) { $0.log.edgePosition > 0 }
    _ = await station.finish()
    #expect(upstream.requests.first?.fields["x-key"] == "secret")
    #expect(upstream.requests.first?.fields["cookie"] == "id=secret")
    #expect(upstream.requests.first?.fields["authorization"] != nil)
    #expect(other.requests.count >= 2)
    for request in other.requests {
      #expect(!request.fields.values.contains { $0.contains("secret") })
      #expect(request.fields["authorization"] == nil)
      #expect(request.fields["icy-metadata"] == "1")
    }
  }

  @Test func `a station's header lines and password go along where a server redirects to itself`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(speed: 5))
    defer { upstream.stop() }
    upstream.reply("/live", with: .redirect(to: "/a"))
    upstream.reply("/a", with: .stream())
    var settings = IngestHarness.quick([upstream.url("/live", user: "me:secret")])
    settings.requestHeaders = ["X-Key: secret"]
    let station = try await played(settings) { $0.log.edgePosition > 0 }
    _ = await station.finish()
    for request in upstream.requests {
      #expect(request.fields["x-key"] == "secret" && request.fields["authorization"] != nil)
    }
  }

  @Test func `a packed body of audio is not unpacked`() async throws {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    let scratch = TemporaryDirectory()
    // A tag of 16 MiB, which is stepped over: nothing of it tells that this is no audio.
    let path = scratch.write(
      "bomb",
      Array("ID3".utf8) + [4, 0, 0, 7, 0x7F, 0x7F, 0x7F] + [UInt8](repeating: 0, count: 16_000_000))
    try Tool.must(["gzip", "-9", path], in: scratch)
    let packed = try readFile(path + ".gz")
    var reply = FakeReply.file(packed, mediaType: "audio/mpeg")
    reply.fields.append(("Content-Encoding", "gzip"))
    upstream.reply("/live", with: reply)
    let station = try await played(IngestHarness.quick([upstream.url("/live")])) {
      Expectation.event("bad-content").hasCome(in: $0)
    }
    let bytes = await station.ingest.status(station: "test")?.bytes ?? 0
    _ = await station.finish()
    #expect(bytes <= UInt64(packed.count))
  }

  @Test func `a page that unpacks to more than a page is left`() async throws {
    let upstream = try FakeUpstream(.numbered(speed: 5))
    defer { upstream.stop() }
    let scratch = TemporaryDirectory()
    let path = scratch.write("page", [UInt8](repeating: 0x61, count: 3_000_000))
    try Tool.must(["gzip", "-9", path], in: scratch)
    // Packed twice, it is 100 bytes.
    let once = try readFile(path + ".gz")
    let again = scratch.write("again", once)
    try Tool.must(["gzip", "-9", again], in: scratch)
    let twice = try readFile(again + ".gz")
    func packed(_ bytes: [UInt8], _ coding: String) -> FakeReply {
      var reply = FakeReply.file(bytes, mediaType: "text/plain")
      reply.fields.append(("Content-Encoding", coding))
      return reply
    }
    upstream.reply(
      "/now", with: packed(once, "gzip"), packed(twice, "gzip, gzip"), Self.text("Fine"))
    upstream.reply("/live", with: .stream())
    var settings = IngestHarness.quick([upstream.url("/live")])
    settings.metadata = MetadataSettings(url: upstream.url("/now"))
    settings.metadata?.interval = 0.05
    let station = try await played(settings) { !$0.titles.isEmpty }
    let status = await station.ingest.status(station: "test")?.metadata
    _ = await station.finish()
    #expect(status?.failures == 2 && station.titles.map(\.title) == ["Fine"])
  }
}
