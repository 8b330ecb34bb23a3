import Glibc
import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// Ends a rest: a timer of the loop's own.
private final class Alarm: LoopHandler {
  var waiting: CheckedContinuation<Void, Never>?
  func ready(_ token: UInt64, _ readiness: Readiness) {}
  func timerFired(_ token: UInt32) { waiting?.resume() }
}

extension LoopServer {
  /// As a process that is stopped and goes on.
  fileprivate func standStill(seconds: UInt32 = 8) { sleep(seconds) }

  /// Its turns go on meanwhile.
  fileprivate func rest(seconds: Double) async {
    let alarm = Alarm()
    let id = loop.attach(alarm)
    await withCheckedContinuation {
      alarm.waiting = $0
      loop.setTimer(id, token: 0, after: Int64(seconds * 1e9))
    }
    loop.detach(id)
  }

  fileprivate var figures: ServerFigures {
    var figures = ServerFigures()
    add(to: &figures)
    return figures
  }

  fileprivate var clipIsBlocked: Bool {
    parts.connections.table.places.contains { $0.clip != nil && $0.isBlocked }
  }

  fileprivate func until(_ what: String, _ condition: () -> Bool) async throws {
    for _ in 0..<1200 {
      if condition() { return }
      await rest(seconds: 0.05)
    }
    try #require(condition(), "time is up while waiting for \(what)")
  }

  fileprivate func goesOn(
    _ client: StreamClient, and others: [StreamClient] = [], of server: TestServer
  ) async throws {
    let enough = client.bodyCount + 50_000
    try await until("it goes on") {
      for client in others + [client] { client.drain() }
      return client.bodyCount > enough || client.isEnded
    }
    #expect(!client.isEnded, "ended: \(server.told.ends)")
  }

  /// Takes the beginning of their answers.
  fileprivate func begin(_ clients: StreamClient...) async throws {
    try await until("their answers") {
      for client in clients { client.drain(atMost: 2000) }
      return clients.allSatisfy { $0.bodyCount > 0 }
    }
  }
}

/// A process stands still for longer than anybody's patience: that is nobody else's fault.
///
/// What a client does it does on the loop's own thread: however busy the other threads are, nobody's patience is over by that.
@Suite(.serialized)
struct StandstillTests {
  private func onLoop(
    patience: Double = 6, change: (inout ServerConfiguration) -> Void = { _ in },
    _ body: @Sendable (isolated LoopServer, TestServer) async throws -> Void
  ) async throws {
    var settings = ListenerSettings()
    settings.pauseTimeout = patience
    var window = LogConfiguration()
    window.windowBytes = 8 << 20
    let log = PacketLog(memoryOnly: window, at: .now())
    try await withServer(
      seconds: 120, threads: 1, settings: settings, log: log, change: change
    ) { try await body($0.server.loops[0], $0) }
  }

  @Sendable private static func listener(_ address: SocketAddress) throws -> StreamClient {
    // Its burst is more than the sockets take.
    try StreamClient(
      to: address, sending: "GET /jazz?offset=100&burst=60s HTTP/1.1\r\nHost: a\r\n\r\n",
      receiveBuffer: 4096)
  }

  @Test func `listeners who took nothing in a standstill are there afterwards`() async throws {
    // Longer than two listeners take to begin on a busy machine.
    try await onLoop(patience: 12) { loop, server in
      let beside = try StreamClient(to: server.address, get: "/jazz")
      try await loop.begin(beside)
      // At once: while others begin, their patience runs.
      let (still, reads) = (
        try Self.listener(server.address), try Self.listener(server.address)
      )
      try await loop.begin(still, reads)
      loop.standStill(seconds: 2)
      // Its window opens while nobody is there to see it.
      reads.drain()
      loop.standStill(seconds: 12)
      try await loop.goesOn(reads, and: [beside], of: server)
      try await loop.goesOn(beside, and: [reads], of: server)
      // It counts from then on, and not for ever.
      try await loop.until("the end of the one that takes nothing") {
        reads.drain()
        beside.drain()
        return loop.figures.listeners == 2
      }
    }
  }

  @Test func `several standstills in a row end no listener`() async throws {
    // Longer than what a busy machine takes of a second's rest, bit by bit.
    try await onLoop(patience: 12) { loop, server in
      let still = try Self.listener(server.address)
      try await loop.begin(still)
      for _ in 0..<2 {
        loop.standStill(seconds: 14)
        // All of them together are shorter than its patience, and than a loop's rest from standstills of its own.
        await loop.rest(seconds: 1)
        #expect(loop.figures.listeners == 1, "ended: \(server.told.ends)")
      }
      try await loop.goesOn(still, of: server)
    }
  }

  @Test func `a request that came in a standstill, or was half there, is answered`() async throws {
    try await onLoop(change: { $0.headTimeout = 4 }) { loop, server in
      let whole = try StreamClient(to: server.address, sending: "")
      let half = try StreamClient(to: server.address, sending: "GET /thread HTTP/1.1\r\nHo")
      try await loop.until("both") { loop.figures.accepted >= 2 }
      loop.standStill(seconds: 1)
      whole.send(Array("GET /thread HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      loop.standStill(seconds: 7)
      await loop.rest(seconds: 0.1)
      half.send(Array("st: a\r\n\r\n".utf8))
      try await loop.until("both answers") {
        for client in [whole, half] { client.drain() }
        return [whole, half].allSatisfy { $0.isEnded || $0.text.contains("\r\n\r\n") }
      }
      #expect(try whole.head().status == 200)
      #expect(try half.head().status == 200)
    }
  }

  @Test func `a clip that nobody took in a standstill goes on`() async throws {
    try await onLoop { loop, server in
      let client = try StreamClient(
        to: server.address,
        sending: "GET /jazz/clip?from=-60s&to=-5s HTTP/1.1\r\nHost: a\r\n"
          + "Connection: close\r\n\r\n",
        receiveBuffer: 4096)
      try await loop.begin(client)
      var looks = 0
      // Between two pieces it is for a moment as well.
      try await loop.until("a full socket") {
        looks = loop.clipIsBlocked ? looks + 1 : 0
        return looks > 10
      }
      loop.standStill()
      let length = try #require(Int(try client.head()["content-length"] ?? ""))
      try await loop.until("the whole clip") {
        client.drain()
        return client.isEnded || client.bodyCount >= length
      }
      #expect(client.bodyCount == length)
    }
  }
}
