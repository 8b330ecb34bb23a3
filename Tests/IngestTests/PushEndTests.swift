import Glibc
import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Ingest

/// Sources that go while they are held back, since they sent faster than it plays.
@Suite(.serialized)
struct PushEndTests {
  /// A station with a source of TCP that has sent more than its lead, and is held back.
  private func withBrakedSource(
    _ body: (IngestHarness, Int32) async throws -> Void
  ) async throws {
    let listening = try Socket.listen(on: .ipv4(0x7F00_0001, port: 0), sharing: false)
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { for fd in [listening, client] { close(fd) } }
    let port = try #require(Socket.localAddress(of: listening)?.port)
    var address = sockaddr_in()
    (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(result == 0)
    guard case .connection(let fd, _) = Socket.accept(listening) else {
      throw SystemError(call: "accept", code: EAGAIN)
    }
    let station = try IngestHarness()
    var settings = IngestHarness.quick([PushSource.url])
    settings.leadMax = 0.5
    settings.dataTimeout = 300
    await station.start(settings)
    try #require(await station.ingest.reserve(station: "test"))
    let source = PushSource(
      socket: DetachedSocket(fd), from: nil,
      fields: [.init(name: "Content-Type", value: "audio/mpeg")], ahead: [], body: .plain)
    await station.ingest.accept(source, station: "test")
    // 4 s of audio: most of it stays in the kernel.
    for number in 0..<150 {
      let frame = NumberedFrames.frame(UInt64(number))
      try #require(send(client, frame, frame.count, Int32(MSG_NOSIGNAL)) == frame.count)
    }
    try #require(await station.wait(packets: 20))
    #expect(await !station.ingest.reserve(station: "test"))
    try await body(station, client)
    _ = await station.finish()
  }

  @Test func `settings that wait for a source that has gone count for the next one`() async throws {
    try await withBrakedSource { station, client in
      var settings = IngestHarness.quick([PushSource.url])
      settings.dataTimeout = 1
      await station.ingest.update(station: "test", settings: settings)
      shutdown(client, Int32(SHUT_WR))
      #expect(await station.wait { await $0.ingest.reserve(station: "test") })
      let silent = try SilentSource()
      defer { silent.end() }
      await station.ingest.accept(silent.source, station: "test")
      #expect(await station.wait { $0.said { if case .timeout = $0 { true } else { false } } })
    }
  }

  private func reset(_ client: Int32) {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      client, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    var nobody = sockaddr()
    nobody.sa_family = sa_family_t(AF_UNSPEC)
    connect(client, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
  }

  @Test func `a braked source that resets its connection is gone at once, using no processor`()
    async throws
  {
    try await withBrakedSource { station, client in
      reset(client)
      let before = await station.ingest.processorSeconds
      #expect(await station.wait { await $0.ingest.reserve(station: "test") })
      try await Task.sleep(for: .seconds(2))
      let used = await station.ingest.processorSeconds - before
      #expect(used < 1)
    }
  }

  @Test func `a braked source that ends makes room for the next, else all of it is heard`()
    async throws
  {
    try await withBrakedSource { station, client in
      shutdown(client, Int32(SHUT_WR))
      let edge = station.log.edgePosition
      #expect(await station.wait { $0.log.edgePosition > edge + 10_000 })
      #expect(await station.ingest.reserve(station: "test"))
    }
  }
}

/// A source that is connected and sends only what it is told to.
struct SilentSource {
  let source: PushSource
  private let other: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    source = PushSource(
      socket: DetachedSocket(ends[0]), from: nil,
      fields: [.init(name: "Content-Type", value: "audio/mpeg")], ahead: [], body: .plain)
    other = ends[1]
  }

  func send(_ bytes: [UInt8]) -> Bool {
    Glibc.send(other, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  func end() { close(other) }
}

extension IngestLoop {
  /// What its thread has used so far.
  fileprivate var processorSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
