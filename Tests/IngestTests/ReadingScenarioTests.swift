import Glibc
import Synchronization
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Ingest

/// Lists and pages that take long to read, and the stations beside.
@Suite(.serialized) struct ReadingScenarioTests {
  /// Holds up the readers of URLs that end in `/slow`, until it is opened.
  private final class Gate: Sendable {
    let held = Atomic<Int>(0)
    private let isOpen = Atomic<Bool>(false)
    /// Waits by working.
    let isBusy: Bool

    init(isBusy: Bool) { self.isBusy = isBusy }

    func open() { isOpen.store(true, ordering: .releasing) }

    func pass(_ url: String) {
      guard url.hasSuffix("/slow") else { return }
      held.add(1, ordering: .relaxed)
      while !isOpen.load(ordering: .acquiring) {
        if !isBusy { usleep(1000) }
      }
    }
  }

  private func station(_ gate: Gate) throws -> IngestHarness {
    var oddities = IngestOddities()
    oddities.beforeReading = { gate.pass($0) }
    return try IngestHarness(oddities: oddities)
  }

  private static func list(_ url: String) -> FakeReply {
    .file(Array("#EXTM3U\n\(url)\n".utf8), mediaType: "audio/x-mpegurl")
  }

  @Test func `a station loses no packet while another one's list is read`() async throws {
    let upstream = try FakeUpstream(.numbered(speed: 5))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream())
    upstream.reply("/slow", with: Self.list(upstream.url("/live")))
    let gate = Gate(isBusy: false)
    let station = try station(gate)
    defer { gate.open() }
    let listed = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    var settings = IngestHarness.quick([upstream.url("/slow")])
    // On a busy machine it may be given up before the gate is open.
    settings.reconnect.hopelessDelay = 1
    await station.ingest.add(station: "listed", settings: settings, log: listed) { _ in }
    #expect(await station.wait { _ in gate.held.load(ordering: .relaxed) > 0 })
    await station.start(IngestHarness.quick([upstream.url("/live")]))
    #expect(await station.wait(packets: 400))
    #expect(listed.edgePosition == 0)
    gate.open()
    #expect(await station.wait { _ in listed.edgePosition > 0 })
    try expectUnbroken(await station.finish(), atLeast: 400)
  }

  @Test func `a list that takes more than a second of the processor is left and told of`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(speed: 5))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream())
    upstream.reply("/slow", with: Self.list(upstream.url("/live")))
    upstream.reply("/quick", with: Self.list(upstream.url("/live")))
    let gate = Gate(isBusy: true)
    let station = try station(gate)
    await station.start(IngestHarness.quick([upstream.url("/slow")]))
    #expect(
      await station.wait {
        Expectation.event("bad-content", "reading took too long").hasCome(in: $0)
      })
    // Its thread is at it still, and others have another one.
    let other = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    await station.ingest.add(
      station: "other", settings: IngestHarness.quick([upstream.url("/quick")]), log: other
    ) { _ in }
    #expect(await station.wait { _ in other.edgePosition > 0 })
    #expect(gate.held.load(ordering: .relaxed) == 1)
    gate.open()
    _ = await station.finish()
  }

  @Test func `a page that takes more than a second of the processor is left, and asked again`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(speed: 5))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream())
    upstream.reply("/slow", with: .file(Array("One".utf8), mediaType: "text/plain"))
    let gate = Gate(isBusy: true)
    let station = try station(gate)
    var settings = IngestHarness.quick([upstream.url("/live")])
    settings.metadata = MetadataSettings(url: upstream.url("/slow"))
    settings.metadata?.interval = 0.05
    await station.start(settings)
    #expect(
      await station.wait { station in
        await station.ingest.status(station: "test")?.metadata?.trouble?.contains("too long")
          == true
      })
    gate.open()
    #expect(await station.wait { $0.titles.map(\.title) == ["One"] })
    try expectUnbroken(await station.finish(), atLeast: 1)
  }

  @Test func `a station that is stopped while its list is read leaves nothing behind`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(speed: 5))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream())
    upstream.reply("/slow", with: Self.list(upstream.url("/live")))
    let gate = Gate(isBusy: false)
    let station = try station(gate)
    await station.start(IngestHarness.quick([upstream.url("/slow")]))
    #expect(await station.wait { _ in gate.held.load(ordering: .relaxed) > 0 })
    await station.ingest.stop(station: "test")
    gate.open()
    await station.start(IngestHarness.quick([upstream.url("/live")]))
    #expect(await station.wait(packets: 10))
    try expectUnbroken(await station.finish(), atLeast: 10)
  }

  @Test func `a list that comes in drops is left`() async throws {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    let drops = [[UInt8]](repeating: Array("# a\n".utf8), count: 2000)
    upstream.reply(
      "/list",
      with: FakeReply(
        statusLine: "HTTP/1.1 200 OK", fields: [("Content-Type", "audio/x-mpegurl")],
        body: .pieces(drops, pause: 0.05, thenCloses: true)))
    var oddities = IngestOddities()
    oddities.playlistSecondsMax = 1
    let station = try IngestHarness(oddities: oddities)
    var settings = IngestHarness.quick([upstream.url("/list")])
    settings.dataTimeout = 1
    await station.start(settings)
    #expect(
      await station.wait { Expectation.event("timeout", "no whole playlist").hasCome(in: $0) })
    _ = await station.finish()
  }
}
