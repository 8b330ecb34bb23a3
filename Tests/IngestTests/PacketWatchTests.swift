import TestSupport
import Testing
import Timeshift

@testable import Ingest

@Suite struct PacketWatchTests {
  private func at(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64((1000 + seconds) * 1e9))
  }

  private func watch() -> PacketWatch {
    var watch = PacketWatch(dataTimeout: 15)
    watch.resume(at: at(0))
    return watch
  }

  @Test func `a byte now and then is no sign of life`() {
    var watch = watch()
    for second in 1...30 {
      watch.came(bytes: 1, hasPackets: false, isOgg: false, at: at(Double(second)))
    }
    #expect(watch.left(at: at(30)) < 0)
  }

  @Test func `a whole packet now and then is a sign of life`() {
    var watch = watch()
    for second in 1...300 {
      watch.came(
        bytes: 50, hasPackets: second % 10 == 0, isOgg: false, at: at(Double(second)))
      #expect(watch.left(at: at(Double(second))) > 0)
    }
  }

  @Test func `pages of Ogg may be long, and pictures longer`() {
    var watch = watch()
    watch.came(bytes: 1000, hasPackets: false, isOgg: true, at: at(1))
    #expect(watch.left(at: at(50)) > 0)
    #expect(watch.left(at: at(70)) < 0)
    watch.came(bytes: 1 << 20, hasPackets: false, isOgg: true, at: at(70))
    #expect(watch.left(at: at(100)) > 0)
    #expect(watch.left(at: at(130)) < 0)
  }

  @Test func `an upstream that trickles is left, and the next one plays`() async throws {
    let upstream = try FakeUpstream(.numbered(speed: 1))
    defer { upstream.stop() }
    let start = NumberedFrames.stream(0..<100)
    upstream.reply(
      "/trickle",
      with: .init(
        statusLine: "HTTP/1.0 200 OK", fields: [("Content-Type", "audio/mpeg")],
        body: .pieces(
          [start] + [[UInt8]](repeating: [0x78], count: 1000), pause: 0.2, thenCloses: false)))
    upstream.reply("/live", with: .stream())
    let station = try IngestHarness()
    var settings = IngestHarness.quick([upstream.url("/trickle"), upstream.url("/live")])
    settings.dataTimeout = 1
    await station.start(settings)
    #expect(await station.wait { _ in !upstream.requests(for: "/live").isEmpty })
    let isSaid = station.said {
      if case .timeout(let reason, _) = $0 { reason == PacketWatch.reason } else { false }
    }
    #expect(isSaid)
    _ = await station.finish()
  }
}
