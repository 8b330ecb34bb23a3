import Glibc
import Reactor
import Synchronization
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// What a server has told of its listeners.
final class ToldChanges: Sendable {
  private let all = Mutex<[ListenerEvent]>([])

  var take: @Sendable ([ListenerEvent]) -> Void {
    { [self] changes in all.withLock { $0 += changes } }
  }

  /// Why they ended, in order.
  var ends: [EndReason] {
    all.withLock {
      $0.compactMap { if case .disconnected(let reason) = $0.change { reason } else { nil } }
    }
  }
}

/// Why and when listeners end.
@Suite(.serialized)
struct EndingTests {
  private static let token = SessionToken("the-session_02")!

  /// A listener whose player takes nothing.
  private func stalled(_ server: TestServer) async throws -> (client: StreamClient, id: UInt64) {
    let client = try StreamClient(
      to: server.address,
      sending: "GET /jazz?burst=60&session=\(Self.token) HTTP/1.1\r\nHost: x\r\n\r\n",
      receiveBuffer: 4096)
    var id: UInt64?
    try await eventually("its socket is full") {
      id = await server.server.listeners().first { $0.state == .stalled }?.id
      return id != nil
    }
    return (client, try #require(id))
  }

  @Test func `a listener kicked inside a packet gets the rest of it, and its reason is told`()
    async throws
  {
    try await withServer(seconds: 100) { server in
      let (client, id) = try await stalled(server)
      #expect(await server.server.kick(listener: id))
      #expect(server.told.ends.isEmpty)
      try await client.until("its end") { $0.isEnded }
      #expect(try NumberedFrames.numbers(in: client.body, mayEndInFrame: false).count > 10)
      try await eventually("it is told") { server.told.ends == [.kicked] }
    }
  }

  @Test(arguments: [ListenerSettings.Behind.shift, .skip, .drop])
  func `a reading listener is never too slow for what comes at once`(
    behind: ListenerSettings.Behind
  ) async throws {
    var settings = ListenerSettings()
    settings.behind = behind
    settings.lagMax = MediaTime(seconds: 10)
    try await withServer(isFed: false, settings: settings) { server in
      let client = try StreamClient(
        to: server.address, sending: "GET /jazz HTTP/1.1\r\nHost: x\r\n\r\n",
        receiveBuffer: 16_384)
      try await client.until("the burst") { $0.bodyCount > 40_000 }
      // A minute, which is more than sockets take at once.
      server.station.append(60 * 44_100 / 1152, at: .now())
      try await client.until("all of it") { $0.isEnded || $0.bodyCount > 1_000_000 }
      let numbers = try NumberedFrames.numbers(in: client.body, mayEndInFrame: true)
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 })
      #expect(await server.server.listeners().first?.state == .live)
      #expect(server.told.ends.isEmpty)
    }
  }

  @Test func `a listener that sends no more may stall, goes on, and ends with all it was sent`()
    async throws
  {
    try await withServer(seconds: 100) { server in
      let (client, id) = try await stalled(server)
      Socket.shutdownWriting(client.fd)
      for _ in 0..<3 {
        let before = client.bodyCount
        try await client.until("more") { $0.bodyCount > before + 50_000 }
        try await eventually("its socket is full again") {
          await server.server.listeners().first { $0.id == id }?.state == .stalled
        }
      }
      #expect(await server.server.kick(listener: id))
      try await client.until("its end") { $0.isEnded }
      #expect(try NumberedFrames.numbers(in: client.body, mayEndInFrame: false).count > 300)
      try await eventually("it is told") { server.told.ends == [.kicked] }
    }
  }

  @Test func `a paused listener who takes nothing is ended at once`() async throws {
    try await withServer(seconds: 100) { server in
      let (client, id) = try await stalled(server)
      _ = await server.server.steer(listener: id, .pause)
      #expect(await server.server.kick(listener: id))
      try await eventually("it is told") { server.told.ends == [.kicked] }
      withExtendedLifetime(client) {}
    }
  }

  @Test func `a held listener who closes is noticed, and its session stays paused`() async throws {
    var settings = ListenerSettings()
    settings.paused = .hold
    try await withServer(settings: settings) { server in
      let client = try StreamClient(to: server.address, get: "/jazz?session=\(Self.token)")
      try await client.until("the burst") { $0.bodyCount > 40_000 }
      _ = await server.server.steer(session: Self.token, .pause)
      client.hangUp()
      try await eventually("it is told") { server.told.ends == [.clientGone] }
      #expect(server.server.sessions[Self.token]?.isPaused == true)
    }
  }

  private struct Reset: Error {
    let bytes: Int
  }

  @Test func `a source that is turned away may finish sending, and is not reset`() async throws {
    try await withServer { server in
      let source = try StreamClient(
        to: server.address, sending: "SOURCE /x HTTP/1.0\r\nHost: a\r\n\r\n", receiveBuffer: 4096)
      Socket.setOption(source.fd, SOL_SOCKET, SO_SNDBUF, 32_768)
      var audio = [UInt8](repeating: 0xFF, count: 16_384)
      var sent = 0
      // Far more than the kernel keeps of what nobody reads. In one go: a server waits for 2 s.
      while sent < 2 << 20 {
        let taken = audio.withUnsafeMutableBytes {
          var part = iovec(iov_base: $0.baseAddress, iov_len: $0.count)
          return Socket.send(source.fd, &part, count: 1)
        }
        switch taken {
        case .bytes(let count): sent += count
        case .wouldBlock: usleep(500)
        case .ended: throw Reset(bytes: sent)
        }
      }
      #expect(try await source.answer().status == 200)
    }
  }
}
