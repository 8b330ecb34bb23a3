import Glibc
import Synchronization
import TestSupport
import Testing
import Timeshift

@testable import Ingest

/// Files of authorities that are missing, wrong, or on a disk that hangs.
@Suite(.serialized) struct AuthorityScenarioTests {
  /// A disk that hangs until it thaws.
  private final class Disk: Sendable {
    let path: String
    let held = Atomic<Int>(0)
    private let hangs = Atomic<Bool>(true)

    init(_ path: String) { self.path = path }

    func thaw() { hangs.store(false, ordering: .releasing) }

    func pass(_ path: String) {
      guard path == self.path else { return }
      held.add(1, ordering: .relaxed)
      while hangs.load(ordering: .acquiring) { usleep(1000) }
    }
  }

  private static func settings(_ urls: [String], _ caFile: String) -> UpstreamSettings {
    var settings = IngestHarness.quick(urls)
    settings.caFile = caFile
    settings.connectTimeout = 1
    settings.reconnect.delayMax = 0.2
    return settings
  }

  private func harness(_ disk: Disk) throws -> IngestHarness {
    var oddities = IngestOddities()
    oddities.beforeReading = { disk.pass($0) }
    return try IngestHarness(oddities: oddities)
  }

  private static func failures(_ harness: IngestHarness, _ words: String) -> Int {
    harness.events.count {
      if case .failure(let reason, _) = $0 { reason.hasSuffix(words) } else { false }
    }
  }

  private static let silent =
    " has not come in time; look at its disk, or at the network that it is on"

  @Test func `a file on a disk that hangs stops its own station only, and holds one thread`()
    async throws
  {
    let secret = try TLSUpstream(packets: 100)
    let upstream = try FakeUpstream(.numbered(speed: 5))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream())
    let disk = Disk(secret.certificate)
    defer { disk.thaw() }
    let station = try harness(disk)
    await station.start(Self.settings([secret.url], disk.path))
    let other = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    await station.ingest.add(
      station: "other", settings: IngestHarness.quick([upstream.url("/live")]), log: other
    ) { _ in }
    #expect(await station.wait { Self.failures($0, disk.path + Self.silent) >= 3 })
    let before = other.edgePosition
    #expect(await station.wait { _ in other.edgePosition > before })
    #expect(disk.held.load(ordering: .relaxed) == 1)
    #expect(station.log.edgePosition == 0)
    disk.thaw()
    #expect(await station.wait(packets: 100))
    _ = await station.finish()
  }

  @Test func `a file of authorities is not waited for where no certificate is checked`()
    async throws
  {
    let secret = try TLSUpstream(packets: 100)
    let upstream = try FakeUpstream(.numbered(speed: 5))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream())
    upstream.reply("/moved", with: .redirect(to: secret.url))
    let disk = Disk(secret.certificate)
    defer { disk.thaw() }
    for url in [upstream.url("/live"), secret.url] {
      let station = try harness(disk)
      var settings = Self.settings([url], disk.path)
      settings.verifyTLS = url != secret.url
      await station.start(settings)
      #expect(await station.wait(packets: 50))
      _ = await station.finish()
    }
    #expect(disk.held.load(ordering: .relaxed) == 0)
    let moved = try harness(disk)
    await moved.start(Self.settings([upstream.url("/moved")], disk.path))
    #expect(await moved.wait { Self.failures($0, Self.silent) > 0 })
    disk.thaw()
    #expect(await moved.wait(packets: 50))
    _ = await moved.finish()
  }

  @Test func `a page of titles tells that its authorities' file hangs, and the audio goes on`()
    async throws
  {
    let upstream = try FakeUpstream(.numbered(speed: 5))
    defer { upstream.stop() }
    upstream.reply("/live", with: .stream())
    let disk = Disk("/authorities.pem")
    defer { disk.thaw() }
    let station = try harness(disk)
    var settings = Self.settings([upstream.url("/live")], disk.path)
    settings.metadata = MetadataSettings(url: "https://127.0.0.1:\(upstream.port)/now")
    settings.metadata?.timeout = 1
    await station.start(settings)
    let isTold = await station.wait {
      $0.said { event in
        guard case .metadataFailed(.failed(let reason), _) = event else { return false }
        return reason == "ca-file: /authorities.pem\(Self.silent)"
      }
    }
    #expect(isTold)
    let before = station.log.edgePosition
    #expect(await station.wait { $0.log.edgePosition > before })
    _ = await station.finish()
  }

  @Test func `a faulty file of authorities is told, and read again at the next attempt`()
    async throws
  {
    let secret = try TLSUpstream(packets: 100)
    let scratch = TemporaryDirectory()
    let path = scratch.file("authorities.pem")
    let station = try IngestHarness()
    await station.start(Self.settings([secret.url], path))
    func says(_ words: String) async -> Bool {
      await station.wait { Self.failures($0, "ca-file: \(path)\(words)") > 0 }
    }
    #expect(
      await says(": No such file or directory; name a file of certificates in PEM format"))
    mkdir(path, 0o700)
    #expect(await says(" is not a regular file; name one in PEM format"))
    rmdir(path)
    func write(_ bytes: [UInt8]) throws {
      // As a whole: what is being written is half a file to whoever reads meanwhile.
      rename(scratch.write("next.pem", bytes), path)
    }
    try write(Array("no PEM\n".utf8))
    #expect(await says(" has no certificate; name a file of them in PEM format"))
    try write([UInt8](repeating: 10, count: 5 << 20))
    #expect(await says(": larger than 4 MiB; name a file of certificates in PEM format"))
    #expect(rename(secret.certificate, path) == 0)
    #expect(await station.wait(packets: 100))
    _ = await station.finish()
  }
}
