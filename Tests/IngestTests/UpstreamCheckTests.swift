import TestSupport
import Testing

@testable import Ingest

@Suite struct UpstreamCheckTests {
  @Test func `a check ends when nobody waits for it any more`() async throws {
    let upstream = try FakeUpstream(.numbered(before: 10))
    defer { upstream.stop() }
    upstream.reply("/silent", with: FakeReply(statusLine: nil, body: .silence))
    let harness = try IngestHarness()
    let urls = [upstream.url("/silent"), upstream.url("/silent")]
    let check = Task { await harness.ingest.check(urls, by: IngestHarness.quick([])) }
    try await eventually("both connected") { upstream.openConnections == 2 }
    check.cancel()
    #expect(
      await check.value.map(\.trouble) == [String](repeating: UpstreamChecks.nobodyAsks, count: 2))
    try await eventually("no connection") { upstream.openConnections == 0 }
    // One that is given up before it begins does not stay.
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await harness.ingest.check(urls, by: IngestHarness.quick([]))
    }
    #expect(await late.value.allSatisfy { !$0.isPlayable })
    try await eventually("no connection") { upstream.openConnections == 0 }
    _ = await harness.finish()
  }
}
