import Synchronization
import TestSupport
import Testing
import Timeshift

@testable import Ingest

@Suite struct OneWriterTests {
  @Test func `a second station in the same window fails, and is pulled when the first has ended`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(speed: 5))
    defer { upstream.stop() }
    for path in ["/one", "/other"] { upstream.reply(path, with: .stream()) }
    let station = try IngestHarness()
    await station.start(IngestHarness.quick([upstream.url("/one")]))
    #expect(await station.wait(packets: 100))
    let settings = IngestHarness.quick([upstream.url("/other")])
    let failures = Mutex<[String]>([])
    await station.ingest.add(station: "second", settings: settings, log: station.log) { event in
      if case .state(.failed, let reason) = event { failures.withLock { $0.append(reason) } }
    }
    #expect(failures.withLock { $0 } == ["another station writes into its window"])
    #expect(await station.ingest.status(station: "second") == nil)
    #expect(await station.wait(packets: 300))
    #expect(upstream.requests(for: "/other").isEmpty)
    try expectUnbroken(station.audio, atLeast: 300)
    await station.ingest.stop(station: "test")
    let edge = station.log.edgePosition
    await station.ingest.add(station: "second", settings: settings, log: station.log) { _ in }
    #expect(await station.wait { _ in station.log.edgePosition > edge })
    #expect(upstream.requests(for: "/other").count == 1)
    _ = await station.finish()
  }
}
