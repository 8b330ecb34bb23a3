import Glibc
import TestSupport
import Testing
import Timeshift

@testable import Ingest

@Suite struct RegularFileTests {
  @Test func `a pipe in the place of authorities stops no other station`() async throws {
    let pipe = "/tmp/longwave-pipe-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    #expect(mkfifo(pipe, 0o600) == 0)
    defer { unlink(pipe) }
    let upstream = try FakeUpstream(.numbered(speed: 10))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream())
    let station = try IngestHarness()
    var settings = IngestHarness.quick(["https://127.0.0.1:\(upstream.port)/live"])
    settings.caFile = pipe
    await station.ingest.add(station: "pipe", settings: settings, log: station.log) { _ in }
    // Were it opened, a writer would get through at once, and the loop would go on: there is none.
    let other = try IngestHarness()
    await station.ingest.add(
      station: "test", settings: IngestHarness.quick([upstream.url("/live")]), log: other.log
    ) { _ in }
    #expect(await station.wait(15) { _ in other.log.edgePosition > 10_000 })
    _ = await station.finish()
    _ = await other.finish()
  }

  @Test func `files are told from folders, devices and what is not there`() {
    #expect(!RegularFile.isOther("/proc/self/exe") && !RegularFile.isOther("/nothing/at/all"))
    for path in ["/tmp", "/dev/null"] { #expect(RegularFile.isOther(path)) }
  }
}
