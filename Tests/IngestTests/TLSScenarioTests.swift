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

  @Test func `a server does not choose how long our part of a key exchange takes`() async throws {
    let upstream = try TLSUpstream(packets: 100, ciphers: "DHE-RSA-AES128-GCM-SHA256")
    let harness = try IngestHarness()
    var settings = IngestHarness.quick([upstream.url])
    settings.caFile = upstream.certificate
    await harness.start(settings)
    let isRefused = await harness.wait {
      $0.said { event in
        if case .failure(let reason, _) = event { reason.contains("handshake") } else { false }
      }
    }
    #expect(isRefused)
    #expect(await harness.finish().isEmpty)
    let elliptic = try TLSUpstream(packets: 100, ciphers: "ECDHE-RSA-AES128-GCM-SHA256")
    let other = try IngestHarness()
    settings = IngestHarness.quick([elliptic.url])
    settings.caFile = elliptic.certificate
    await other.start(settings)
    #expect(await other.wait(packets: 100))
    _ = await other.finish()
  }

  @Test func `an upstream whose certificate nobody vouches for is refused, with a reason`()
    async throws
  {
    let upstream = try TLSUpstream(packets: 100)
    let harness = try IngestHarness()
    await harness.start(IngestHarness.quick([upstream.url]))
    let isRefused = await harness.wait {
      $0.said { event in
        guard case .failure(let reason, _) = event else { return false }
        return reason.contains("certificate")
          && reason.hasSuffix("name it in the station's ca-file:, or write verify-tls: false")
      }
    }
    #expect(isRefused)
    #expect(await harness.finish().isEmpty)
  }
}
