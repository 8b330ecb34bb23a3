import TestSupport
import Testing
import Timeshift

@testable import Ingest

@Suite struct ReconnectScenarioTests {
  @Test
  func `an upstream that closes in mid-frame again and again leaves each packet once and in order`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(before: 60))
    defer { upstream.stop() }
    // More than a busy machine stands still.
    var stream = FakeStream(burst: 60)
    stream.closeAfterBytes = Int(NumberedFrames.position(of: 2310)) + 100
    upstream.reply("/live", with: .stream(stream))
    let station = try IngestHarness()
    await station.start(IngestHarness.quick([upstream.url("/live")]))
    #expect(await station.wait { $0.stitched.count >= 6 })
    try expectUnbroken(await station.finish(), atLeast: 2310)
    #expect(station.gaps.isEmpty)
    #expect(station.stitched.allSatisfy { $0.lost == 0 && $0.stitched > 0 })
  }

  @Test func `a playlist of dead entries is tried a dozen at once, then one by one, at trials too`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(speed: 1))
    defer { upstream.stop() }
    let entries = (0..<40).map { upstream.url("/dead\($0)") }.joined(separator: "\n")
    upstream.reply(
      "/list", with: .playlist("#EXTM3U\n" + entries, mediaType: "audio/x-mpegurl"))
    upstream.reply("/live", with: .stream())
    let station = try IngestHarness()
    var settings = IngestHarness.quick([upstream.url("/list"), upstream.url("/live")])
    settings.trial.interval = 0.1
    await station.start(settings)
    #expect(await station.wait { _ in upstream.requests(for: "/dead39").count >= 2 })
    let (first, last) = (upstream.requests(for: "/dead0"), upstream.requests(for: "/dead39"))
    for (first, last) in zip(first, last) {
      #expect(last.at.seconds(since: first.at) > 0.1 * 25)
    }
    _ = await station.finish()
  }

  @Test func `a reconnect in real time with the default waits loses nothing`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 40))
    defer { upstream.stop() }
    // More than a busy machine stands still; each connection lasts two seconds.
    var stream = FakeStream(burst: 30)
    stream.closeAfterBytes = Int(NumberedFrames.position(of: 1230)) + 1
    upstream.reply("/live", with: .icy(stream))
    let station = try IngestHarness()
    await station.start(UpstreamSettings(urls: [upstream.url("/live")]))
    #expect(await station.wait { _ in upstream.requests.count >= 4 })
    try expectUnbroken(await station.finish(), atLeast: 300)
    #expect(station.gaps.isEmpty)
  }

  @Test func `an upstream away for a while is joined where it overlaps`() async throws {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    // More than it is away for, also where nobody looks for a while.
    upstream.reply("/live", with: .chunked(FakeStream(burst: 60)))
    let station = try IngestHarness()
    await station.start(IngestHarness.quick([upstream.url("/live")]))
    #expect(await station.wait(packets: 40))
    upstream.goAway()
    #expect(await station.wait { $0.states.last == .connecting })
    func failures() -> Int {
      station.events.count { if case .failure = $0 { true } else { false } }
    }
    #expect(await station.wait { _ in failures() > 3 })
    try upstream.comeBack()
    #expect(await station.wait(packets: 150))
    try expectUnbroken(await station.finish(), atLeast: 150, from: 0)
    #expect(station.gaps.isEmpty)
    // Told every time, but the state changed only when its reason did.
    let reasons = station.events.compactMap {
      if case .state(.connecting, let reason) = $0 { reason } else { nil }
    }
    #expect(
      reasons == [
        "", "the connection was lost", "cannot connect: Connection refused",
      ])
  }

  @Test func `audio that an upstream does not send again is a gap of its length`() async throws {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 0.2)))
    let station = try IngestHarness()
    await station.start(IngestHarness.quick([upstream.url("/live")]))
    #expect(await station.wait(packets: 40))
    upstream.goAway()
    try await Task.sleep(for: .seconds(1.5))
    try upstream.comeBack()
    #expect(await station.wait { $0.gaps.count == 1 })
    #expect(await station.wait { $0.states.last == .playing })
    let numbers = try NumberedFrames.numbers(in: await station.finish())
    let jump = try #require(zip(numbers, numbers.dropFirst()).first { $1 != $0 + 1 })
    let lost = Double(jump.1 - jump.0 - 1) * 1152 / 44_100
    let gap = try #require(station.gaps.first)
    // Both are by the clock, each seen by a thread of its own.
    #expect(gap.seconds > 0.5 && abs(gap.seconds - lost) < 1)
    #expect(gap.cause == .upstreamAway)
    #expect(abs(station.stitched[0].lost - gap.seconds) < 0.001)
    let index = try #require(numbers.firstIndex(of: jump.1))
    #expect(gap.position == NumberedFrames.position(of: numbers[0] + UInt64(index)))
  }

  @Test func `a restarted relay stitches to the log it finds`() async throws {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 60)))
    let first = try IngestHarness()
    await first.start(IngestHarness.quick([upstream.url("/live")]))
    #expect(await first.wait(packets: 40))
    _ = await first.finish()
    let second = try IngestHarness(log: first.log)
    await second.start(IngestHarness.quick([upstream.url("/live")]))
    #expect(await second.wait(packets: 100))
    try expectUnbroken(await second.finish(), atLeast: 100, from: 0)
    #expect(second.stitched.count == 1 && second.gaps.isEmpty)
  }

  @Test func `a restarted relay stitches to the log on disk`() async throws {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 60)))
    let directory = TemporaryDirectory()
    for run in 1...2 {
      let storage = Storage(flushInterval: 0.05)
      storage.start()
      let log = try PacketLog.open(
        directory: directory.path, configuration: LogConfiguration(retention: .init(seconds: 600)),
        storage: storage, at: .now(), report: { _ in })
      let station = try IngestHarness(log: log)
      await station.start(IngestHarness.quick([upstream.url("/live")]))
      // A slow machine has more of the first run on its disk than is waited for.
      #expect(await station.wait(packets: 60 * run))
      #expect(await station.wait { $0.stitched.count == run - 1 })
      try expectUnbroken(await station.finish(), atLeast: 60 * run, from: 0)
      #expect(station.gaps.isEmpty && station.stitched.count == run - 1)
      log.close()
      storage.stop()
    }
  }

  @Test func `a restarted relay whose upstream went on marks a gap with its cause`() async throws {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 0)))
    let first = try IngestHarness()
    await first.start(IngestHarness.quick([upstream.url("/live")]))
    #expect(await first.wait(packets: 20))
    _ = await first.finish()
    try await Task.sleep(for: .milliseconds(300))
    let second = try IngestHarness(log: first.log)
    await second.start(IngestHarness.quick([upstream.url("/live")]))
    #expect(await second.wait { !$0.gaps.isEmpty })
    _ = await second.finish()
    #expect(second.gaps.map(\.cause) == [.restart])
  }

  /// By a reload or a restart while its upstream is away.
  @Test(arguments: [false, true])
  func `an upstream that is away is waited for as before, whoever begins anew`(restarts: Bool)
    async throws
  {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream(FakeStream(burst: 60)))
    let dead = upstream.url("/dead")
    // Of an upstream that never played such an answer counts as final, and is not asked again within a test.
    func settings(_ urls: [String]) -> UpstreamSettings {
      var settings = IngestHarness.quick(urls)
      settings.reconnect.hopelessGrace = 600
      settings.reconnect.quickSpan = 600
      return settings
    }
    var station = try IngestHarness()
    await station.start(settings([upstream.url("/live")]))
    #expect(await station.wait(packets: 20))
    upstream.reply("/live", with: .status(404))
    if restarts {
      _ = await station.finish()
      station = try IngestHarness(log: station.log)
      await station.start(settings([upstream.url("/live"), dead]))
    } else {
      await station.ingest.update(
        station: "test", settings: settings([upstream.url("/live"), dead]))
    }
    #expect(
      await station.wait { (await $0.ingest.status(station: "test")?.attempts ?? 0) > 8 },
      "it is asked again and again")
    upstream.reply("/live", with: .stream(FakeStream(burst: 60)))
    #expect(await station.wait { await $0.ingest.status(station: "test")?.state == .playing })
    _ = await station.finish()
  }

  /// Who waits, waits a tenth of a second.
  private static var hasty: IngestOddities {
    var oddities = IngestOddities()
    oddities.awaitedDelayMax = 0.1
    return oddities
  }

  @Test func `an upstream that answers 404 is asked again soon once somebody waits for it`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    upstream.reply("/live", with: .status(404))
    let isAwaited = Flag()
    let station = try IngestHarness(oddities: Self.hasty)
    // Else it is not asked again within a test.
    await station.start(IngestHarness.quick([upstream.url("/live")])) { isAwaited.isSet }
    #expect(await station.wait { $0.states.last == .failed })
    try await Task.sleep(for: .milliseconds(500))
    #expect(upstream.requests.count == 1, "nobody waits")
    isAwaited.set()
    #expect(await station.wait { _ in upstream.requests.count > 3 })
    upstream.reply("/live", with: .stream(FakeStream(burst: 60)))
    #expect(await station.wait { await $0.ingest.status(station: "test")?.state == .playing })
    _ = await station.finish()
  }

  @Test func `an upstream that asks for a longer wait is given it, whoever waits`() async throws {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    upstream.reply("/live", with: .head([("Retry-After", "3600")], status: 503))
    let station = try IngestHarness(oddities: Self.hasty)
    await station.start(IngestHarness.quick([upstream.url("/live")])) { true }
    #expect(await station.wait { _ in upstream.requests.count == 1 })
    try await Task.sleep(for: .milliseconds(800))
    #expect(upstream.requests.count == 1)
    _ = await station.finish()
  }

  @Test func `changed settings and a pause keep the log in one piece`() async throws {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    upstream.reply("/a", with: .stream())
    // Enough of its past for a machine that stands still for a while.
    upstream.reply("/b", with: .stream(FakeStream(burst: 60)))
    let station = try IngestHarness()
    await station.start(IngestHarness.quick([upstream.url("/a")]))
    #expect(await station.wait(packets: 20))
    await station.ingest.update(
      station: "test", settings: IngestHarness.quick([upstream.url("/b")]))
    #expect(await station.wait(packets: 50))
    await station.ingest.pause(station: "test")
    #expect(await station.ingest.status(station: "test")?.state == .paused)
    try await Task.sleep(for: .milliseconds(300))
    await station.ingest.resume(station: "test")
    #expect(await station.wait { await $0.ingest.status(station: "test")?.state == .playing })
    #expect(await station.wait(packets: 100))
    let status = await station.ingest.status(station: "test")
    #expect(status?.state == .playing && status?.attempts == 3)
    #expect(status?.url == upstream.url("/b"))
    try expectUnbroken(await station.finish(), atLeast: 100, from: 0)
    #expect(station.said { if case .upstreamChanged = $0 { true } else { false } })
    #expect(station.states.last == .stopped)
  }

  @Test func `a stalled upstream times out and is joined again`() async throws {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    var stalling = FakeStream(burst: 4)
    stalling.stallAfterBytes = 10_000
    upstream.reply("/live", with: .stream(stalling), .silence, .stream(FakeStream(burst: 20)))
    let station = try IngestHarness()
    var settings = IngestHarness.quick([upstream.url("/live")])
    settings.dataTimeout = 2
    settings.connectTimeout = 2
    await station.start(settings)
    #expect(await station.wait(packets: 120))
    try expectUnbroken(await station.finish(), atLeast: 120, from: 0)
    let reasons = station.events.compactMap {
      if case .timeout(let reason, _) = $0 { reason } else { nil }
    }
    #expect(reasons == ["no data for 2.0 s", "no answer"])
  }
}
