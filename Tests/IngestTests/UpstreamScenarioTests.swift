import TestSupport
import Testing
import Timeshift
import Wire

@testable import Ingest

@Suite struct UpstreamScenarioTests {
  /// Starts a station on `paths` of an upstream and waits until `condition`.
  private func play(
    _ upstream: FakeUpstream, _ paths: [String],
    _ change: (inout UpstreamSettings) -> Void = { _ in },
    until condition: (IngestHarness) async -> Bool
  ) async throws -> IngestHarness {
    let station = try IngestHarness()
    var settings = IngestHarness.quick(paths.map { upstream.url($0) })
    change(&settings)
    await station.start(settings)
    #expect(await station.wait(until: condition))
    return station
  }

  private func hasPackets(_ station: IngestHarness) -> Bool { station.log.edgePosition > 20_000 }

  @Test func `a SHOUTcast stream gives its titles at their packets and its headers`() async throws {
    let programme = FakeProgramme.numbered(
      speed: 10, before: 4,
      titles: [
        .init(packet: 0, "First"), .init(packet: 200, bytes: [0x43, 0x61, 0x66, 0xE9]),
        .init(packet: 300, "It's; the 'end"),
      ])
    let upstream = try FakeUpstream(programme)
    defer { upstream.stop() }
    var stream = FakeStream(burst: 4)
    stream.metaint = 1000
    let fields = [
      ("icy-name", "Radio Caf\u{E9}"), ("icy-genre", "Jazz"), ("icy-br", "128"),
      ("icy-url", "http://example.org/"), ("icy-description", "All day"),
    ]
    upstream.reply("/live", with: .icy(stream, fields: fields))
    let station = try await play(upstream, ["/live"]) { $0.titles.count == 3 }
    let first = try #require(try NumberedFrames.numbers(in: await station.finish()).first)
    #expect(station.titles.map(\.title) == ["First", "Café", "It's; the 'end"])
    for (mark, change) in zip(station.titles, programme.titles).dropFirst() {
      // The block stands at most a metaint after the change: in the packet of the position.
      let at =
        NumberedFrames.position(of: UInt64(change.packet)) - NumberedFrames.position(of: first)
      #expect((at...(at + 1000)).contains(mark.position))
    }
    #expect(
      station.log.titles(limit: 9).map(\.position) == station.titles.map(\.position).reversed())
    let headers = station.events.compactMap {
      if case .headers(let headers) = $0 { headers } else { nil }
    }
    #expect(headers.first?.name == "Radio Café" && headers.first?.metaint == 1000)
    #expect(headers.first?.bitrate == 128 && headers.first?.mediaType == "audio/mpeg")
    #expect(station.states == [.connecting, .buffering, .playing, .stopped])
    #expect(upstream.requests[0].fields["icy-metadata"] == "1")
    #expect(upstream.requests[0].fields["user-agent"] == "Longwave/1.0")
  }

  @Test func `an equal title after a reconnect is no new title`() async throws {
    let programme = FakeProgramme.numbered(before: 60, titles: [.init(packet: 0, "Same")])
    let upstream = try FakeUpstream(programme)
    defer { upstream.stop() }
    // More than a busy machine stands still.
    var stream = FakeStream(burst: 60)
    stream.metaint = 777
    stream.closeAfterBytes = Int(NumberedFrames.position(of: 2320))
    upstream.reply("/live", with: .stream(stream))
    let station = try IngestHarness()
    await station.start(IngestHarness.quick([upstream.url("/live")]))
    #expect(await station.wait { $0.stitched.count > 3 })
    try expectUnbroken(await station.finish(), atLeast: 2320)
    #expect(station.titles.map(\.title) == ["Same"])
  }

  @Test func `keys for programs are marks of their own and no news to people`() async throws {
    let programme = FakeProgramme.numbered(
      speed: 5, before: 10,
      titles: [
        .init(packet: 0, "A - B';StreamUrl='http://x/a.jpg';ad='1"),
        .init(packet: 500, "A - B';StreamUrl='http://x/a.jpg';ad='2"),
        .init(packet: 600, "C - D';ad='2"),
      ])
    let upstream = try FakeUpstream(programme)
    defer { upstream.stop() }
    var stream = FakeStream(burst: 8)
    stream.metaint = 1000
    upstream.reply("/live", with: .stream(stream))
    let station = try await play(upstream, ["/live"]) { $0.titles.count > 1 }
    _ = await station.finish()
    #expect(station.titles.map(\.title) == ["A - B", "C - D"])
    let marks = station.log.titles(limit: 9).reversed().map(\.title)
    #expect(marks.map(\.text) == ["A - B", "A - B", "C - D"])
    #expect(marks.map { $0.extras.map(\.value) } == [["1"], ["2"], ["2"]])
    #expect(marks.map(\.url) == ["http://x/a.jpg", "http://x/a.jpg", ""])
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func `redirects are followed`(status: Int) async throws {
    let upstream = try FakeUpstream(.numbered(before: 10))
    defer { upstream.stop() }
    upstream.reply("/a", with: .redirect(status, to: "b/c"))
    upstream.reply("/b/c", with: .redirect(status, to: upstream.url("/d")))
    upstream.reply("/d", with: .chunked())
    let station = try await play(upstream, ["/a"], until: hasPackets)
    try expectUnbroken(await station.finish(), atLeast: 40)
  }

  @Test func `a circle of redirects is a failure`() async throws {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    upstream.reply("/a", with: .redirect(to: "/a"))
    let station = try await play(upstream, ["/a"]) {
      $0.said { if case .failure = $0 { true } else { false } }
    }
    _ = await station.finish()
    #expect(upstream.requests.count >= 11)
  }

  @Test func `a user and password in the URL are sent and never shown`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 10))
    defer { upstream.stop() }
    // me:se cret
    upstream.reply("/live", with: .stream().requiring(authorization: "bWU6c2UgY3JldA=="))
    let stranger = try await play(upstream, ["/live"]) { $0.states.last == .failed }
    _ = await stranger.finish()
    #expect(
      stranger.said {
        if case .httpError(401, let url) = $0 { url == upstream.url("/live") } else { false }
      })
    let station = try IngestHarness()
    await station.start(IngestHarness.quick([upstream.url("/live", user: "me:se%20cret")]))
    #expect(await station.wait(until: hasPackets))
    #expect(await station.ingest.status(station: "test")?.url == upstream.url("/live"))
    _ = await station.finish()
  }

  @Test func `a station's own header lines are sent, and a proxy is asked for the upstream`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    // A proxy gets the whole URL as the target.
    upstream.reply("http://radio.invalid/live", with: .stream())
    let station = try IngestHarness()
    var settings = IngestHarness.quick(["http://radio.invalid/live"])
    settings.requestHeaders = ["Referer: https://example.org/", "X-Token: abc"]
    settings.proxy = upstream.url("")
    await station.start(settings)
    #expect(await station.wait(packets: 40))
    try expectUnbroken(await station.finish(), atLeast: 40)
    let fields = try #require(upstream.requests.first).fields
    #expect(fields["referer"] == "https://example.org/" && fields["x-token"] == "abc")
    #expect(fields["host"] == "radio.invalid" && fields["icy-metadata"] == "1")
  }

  @Test func `an upstream that answers 404 is not found, and its station has failed`() async throws
  {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    let station = try await play(upstream, ["/none"]) { $0.states.last == .failed }
    #expect(
      await station.ingest.status(station: "test")?.stateReason == "the upstream answered 404")
    _ = await station.finish()
    #expect(
      station.said {
        if case .notFound(let url) = $0 { url == upstream.url("/none") } else { false }
      })
  }

  @Test func `a failing server is retried and has not failed for good`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 10))
    defer { upstream.stop() }
    upstream.reply("/live", with: .status(503), .hangUp, .stream())
    let station = try await play(upstream, ["/live"], until: hasPackets)
    _ = await station.finish()
    #expect(!station.states.contains(.failed))
    #expect(station.said { if case .httpError(503, _) = $0 { true } else { false } })
  }

  @Test func `a web page and a body without frames are bad content`() async throws {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    upstream.reply("/page", with: .file(Array("<html>Hello</html>".utf8), mediaType: "text/html"))
    let noise = [UInt8](repeating: 0x55, count: 100_000)
    upstream.reply("/noise", with: .file(noise, mediaType: "audio/mpeg"))
    upstream.reply("/hls", with: .playlist("#EXTM3U\n#EXT-X-TARGETDURATION:6\nx.ts\n"))
    upstream.reply("/short", with: .file(Array("nothing".utf8), mediaType: "audio/mpeg"))
    upstream.reply("/empty", with: .file([], mediaType: "audio/mpeg"))
    let paths = ["/page", "/noise", "/hls", "/short", "/empty"]
    let station = try await play(upstream, paths) { $0.states.last == .failed }
    _ = await station.finish()
    let bad = station.events.compactMap {
      if case .badContent(let reason, let url) = $0 { url + ": " + reason } else { nil }
    }
    #expect(bad.count == 4)
    #expect(bad[0].contains("/page: ") && bad[1].contains("/noise: 64 KiB"))
    #expect(bad[2].contains("/hls: HLS") && bad[3].contains("/short: no audio"))
    #expect(station.said { if case .missingContent = $0 { true } else { false } })
  }

  @Test func `playlists lead to streams and are tried entry by entry`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 10))
    defer { upstream.stop() }
    let pls =
      "[playlist]\r\nNumberOfEntries=2\r\nFile1=\(upstream.url("/gone"))\r\nFile2=list.m3u\r\n"
    upstream.reply("/listen.pls", with: .playlist(pls))
    upstream.reply(
      "/list.m3u", with: .playlist("#EXTM3U\n#EXTINF:-1,Radio\n/live\n", mediaType: "text/plain"))
    upstream.reply("/live", with: .stream())
    let station = try await play(upstream, ["/listen.pls"], until: hasPackets)
    #expect(await station.ingest.status(station: "test")?.url == upstream.url("/live"))
    try expectUnbroken(await station.finish(), atLeast: 40)
    #expect(upstream.requests.map(\.path) == ["/listen.pls", "/gone", "/list.m3u", "/live"])
  }

  @Test func `a playlist and a stream under the type of a web page are read`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 10))
    defer { upstream.stop() }
    let list = "[playlist]\nFile1=/live\n"
    upstream.reply("/listen.php", with: .playlist(list, mediaType: "text/html"))
    upstream.reply("/live", with: .stream(mediaType: "text/html; charset=UTF-8"))
    let station = try await play(upstream, ["/listen.php"], until: hasPackets)
    try expectUnbroken(await station.finish(), atLeast: 40)
  }

  @Test func `a playlist of playlists of playlists of playlists is refused`() async throws {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    for depth in 0..<5 {
      upstream.reply("/\(depth).pls", with: .playlist("[playlist]\nFile1=\(depth + 1).pls\n"))
    }
    let station = try await play(upstream, ["/0.pls"]) { $0.states.last == .failed }
    _ = await station.finish()
    #expect(upstream.requests.map(\.path) == ["/0.pls", "/1.pls", "/2.pls", "/3.pls"])
  }

  @Test func `files of a playlist follow each other without a gap and begin again`() async throws {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    upstream.reply("/list.m3u", with: .playlist("a.mp3\nb.mp3\n", mediaType: "audio/x-mpegurl"))
    upstream.reply("/a.mp3", with: .file(NumberedFrames.stream(0..<50), mediaType: "audio/mpeg"))
    upstream.reply("/b.mp3", with: .file(NumberedFrames.stream(50..<99), mediaType: "audio/mpeg"))
    let station = try await play(upstream, ["/list.m3u"]) { _ in upstream.requests.count > 3 }
    #expect(await station.wait(packets: 149))
    let numbers = try NumberedFrames.numbers(in: await station.finish())
    #expect(numbers.prefix(149) == (Array(0..<99) + Array(0..<50))[...])
    #expect(station.gaps.isEmpty && station.stitched.isEmpty)
    let complete = station.events.compactMap {
      if case .fileComplete(let url) = $0 { url } else { nil }
    }
    #expect(complete.prefix(2) == [upstream.url("/a.mp3"), upstream.url("/b.mp3")])
  }

  @Test func `an upstream faster than real time is braked`() async throws {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    var stream = FakeStream()
    stream.unpacedFrom = 0
    upstream.reply("/live", with: .stream(stream))
    let began = MonotonicTime.now()
    let station = try await play(upstream, ["/live"], { $0.leadMax = 10 }) {
      $0.log.edge.media.seconds > 0
    }
    let heard = MonotonicTime.now()
    func lead(since begin: MonotonicTime) -> Double {
      station.log.edge.media.seconds - MonotonicTime.now().seconds(since: begin)
    }
    #expect(await station.wait { _ in lead(since: heard) > 5 })
    try await Task.sleep(for: .seconds(1))
    // One piece from curl is 16 KiB, which is a second.
    #expect(lead(since: began) < 20)
    let before = station.log.edge.media.seconds
    #expect(await station.wait { $0.log.edge.media.seconds > before + 1 })
    try expectUnbroken(await station.finish(), atLeast: 400, from: 0)
    #expect(!station.said { if case .timeout = $0 { true } else { false } })
  }

  @Test func `the backup plays at once and the first takes over when it is well again`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(before: 60))
    let backup = try FakeUpstream(upstream.programme)
    defer {
      upstream.stop()
      backup.stop()
    }
    // More than a busy machine stands still; on trial only as much as such a machine has read long before it is judged.
    upstream.reply(
      "/live", with: .stream(FakeStream(burst: 60)), .stream(FakeStream(burst: 8)))
    backup.reply("/live", with: .stream(FakeStream(burst: 60)))
    let station = try IngestHarness()
    var settings = IngestHarness.quick([upstream.url("/live"), backup.url("/live")])
    settings.trial.interval = 0.3
    settings.trial.clean = 3
    await station.start(settings)
    #expect(await station.wait(packets: 40))
    upstream.goAway()
    #expect(
      await station.wait { await $0.ingest.status(station: "test")?.url == backup.url("/live") })
    try await Task.sleep(for: .milliseconds(400))
    try upstream.comeBack()
    #expect(
      await station.wait { await $0.ingest.status(station: "test")?.url == upstream.url("/live") })
    let edge = station.log.edgePosition
    #expect(await station.wait { $0.log.edgePosition > edge + 20_000 })
    try expectUnbroken(await station.finish(), atLeast: 100)
    #expect(station.gaps.isEmpty)
    let changes = station.events.compactMap {
      if case .upstreamChanged(let url) = $0 { url } else { nil }
    }
    #expect(changes == [backup.url("/live"), upstream.url("/live")])
  }

  @Test func `a first upstream with another stream takes over at a packet`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 1000))
    let backup = try FakeUpstream(.numbered())
    defer {
      upstream.stop()
      backup.stop()
    }
    backup.reply("/live", with: .stream())
    upstream.reply("/live", with: .status(503))
    let station = try IngestHarness()
    var settings = IngestHarness.quick([upstream.url("/live"), backup.url("/live")])
    settings.trial.interval = 0.2
    settings.trial.clean = 0.4
    await station.start(settings)
    #expect(await station.wait(packets: 40))
    upstream.reply("/live", with: .stream())
    #expect(
      await station.wait { await $0.ingest.status(station: "test")?.url == upstream.url("/live") })
    #expect(await station.wait { $0.states.last == .playing })
    let edge = station.log.edgePosition
    #expect(await station.wait { $0.log.edgePosition > edge + 10_000 })
    let numbers = try NumberedFrames.numbers(in: await station.finish())
    #expect(zip(numbers, numbers.dropFirst()).filter { $1 != $0 + 1 }.count == 1)
    #expect(station.gaps.map(\.cause) == [.upstreamJumped])
  }

  @Test func `settings that wait for a source count when a better upstream takes its place`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(before: 1000))
    defer { upstream.stop() }
    upstream.reply("/live", with: .status(503))
    let station = try IngestHarness()
    var settings = IngestHarness.quick([upstream.url("/live"), PushSource.url])
    settings.dataTimeout = 300
    settings.trial.interval = 0.2
    settings.trial.intervalMax = 0.4
    settings.trial.clean = 0.4
    await station.start(settings)
    let encoder = try SilentSource()
    defer { encoder.end() }
    await station.ingest.accept(encoder.source, station: "test")
    for number in 0..<40 { #expect(encoder.send(NumberedFrames.frame(UInt64(number)))) }
    #expect(await station.wait(packets: 40))
    settings.urls.reverse()
    settings.userAgent = "Foo/2"
    await station.ingest.update(station: "test", settings: settings)
    upstream.reply("/live", with: .stream(FakeStream(burst: 10)))
    #expect(
      await station.wait { _ in upstream.requests.last?.fields["user-agent"] == "Foo/2" })
    #expect(await station.wait { $0.states.last == .playing })
    _ = await station.finish()
  }
}
