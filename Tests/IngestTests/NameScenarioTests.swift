import CHeldNames
import TestSupport
import Testing
import Timeshift

@testable import Ingest

/// Upstreams whose names nobody looks up in time.
@Suite(.serialized) struct NameScenarioTests {
  @Test func `a name that nobody answers for keeps no other station waiting`() async throws {
    heldnames_hold(true)
    defer { heldnames_hold(false) }
    let upstream = try FakeUpstream(.numbered(speed: 10))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream())
    let station = try IngestHarness()
    var settings = IngestHarness.quick(["http://nobody.held.test:8000/live"])
    settings.connectTimeout = 0.2
    await station.start(settings)
    // The first ones were given up while they were still being looked up.
    try await eventually("several attempts") { heldnames_waiting() >= 3 }
    let other = try IngestHarness()
    await station.ingest.add(
      station: "other", settings: IngestHarness.quick([upstream.url("/live")]), log: other.log
    ) { _ in }
    #expect(await station.wait(15) { _ in other.log.edgePosition > 100_000 })
    // Stopped in the middle of a lookup as well.
    _ = await station.finish()
    _ = await other.finish()
    #expect(heldnames_waiting() >= 3)
  }
}
