import Glibc
import Reactor
import TestSupport
import Testing
import Timeshift

@testable import Ingest

/// What somebody pushes who means something else than audio.
struct PushReadingTests {
  @Test func `a source that pushes a list leads nowhere`() async throws {
    let inside = try FakeUpstream(.numbered())
    defer { inside.stop() }
    inside.reply("/a", with: .stream())
    var ends: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    let station = try IngestHarness()
    await station.start(IngestHarness.quick([PushSource.url]))
    #expect(await station.ingest.reserve(station: "test"))
    let list = Array("#EXTM3U\n\(inside.url("/a"))\n".utf8)
    let source = PushSource(
      socket: DetachedSocket(ends[0]), from: nil, ahead: list, body: .plain)
    await station.ingest.accept(source, station: "test")
    close(ends[1])
    #expect(
      await station.wait {
        Expectation.event("bad-content", "a source sends audio").hasCome(in: $0)
      })
    _ = await station.finish()
    #expect(inside.requests.isEmpty && station.log.edgePosition == 0)
  }
}
