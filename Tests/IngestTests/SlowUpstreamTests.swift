import TestSupport
import Testing
import Timeshift

@testable import Ingest

/// An upstream that delivers slower than it plays, with another one to go to.
@Suite struct SlowUpstreamTests {
  @Test func `an upstream at half speed is left for the next, and that is told`() async throws {
    let slow = try FakeUpstream(.numbered(speed: 0.5))
    let sound = try FakeUpstream(.numbered())
    defer {
      slow.stop()
      sound.stop()
    }
    slow.reply("/live", with: .stream())
    sound.reply("/live", with: .stream())
    let station = try IngestHarness()
    await station.start(IngestHarness.quick([slow.url("/live"), sound.url("/live")]))
    #expect(await station.wait { _ in !sound.requests(for: "/live").isEmpty })
    // From then on it comes as fast as it plays.
    let before = station.log.edge.media.seconds
    #expect(await station.wait { $0.log.edge.media.seconds > before + 5 })
    _ = await station.finish()
    let told = station.events.compactMap {
      if case .tooSlow(let rate, let url) = $0 { (rate: rate, url: url) } else { nil }
    }
    #expect(told.map(\.url) == [slow.url("/live")])
    // Burst and all, in as long as is looked at.
    #expect(told.allSatisfy { (0.3...0.8).contains($0.rate) })
  }
}
