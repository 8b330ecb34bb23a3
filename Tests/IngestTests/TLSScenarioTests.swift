import TestSupport
import Testing

@testable import Ingest

struct TLSScenarioTests {
  @Test func `an upstream behind TLS is pulled when its authority is trusted`() async throws {
    let upstream = try TLSUpstream(packets: 100)
    let harness = try IngestHarness()
    var settings = IngestHarness.quick([upstream.url])
    settings.caFile = upstream.certificate
    await harness.start(settings)
    #expect(await harness.wait(packets: 100))
    let audio = await harness.finish()
    #expect(try NumberedFrames.numbers(in: audio).prefix(100) == Array(0..<100)[...])
  }

  @Test func `an upstream whose certificate nobody vouches for is refused, with a reason`()
    async throws
  {
    let upstream = try TLSUpstream(packets: 100)
    let harness = try IngestHarness()
    await harness.start(IngestHarness.quick([upstream.url]))
    let isRefused = await harness.wait {
      $0.said { event in
        if case .failure(let reason, _) = event { reason.contains("certificate") } else { false }
      }
    }
    #expect(isRefused)
    #expect(await harness.finish().isEmpty)
  }
}
