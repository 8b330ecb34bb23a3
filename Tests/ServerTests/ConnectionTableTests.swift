import Glibc
import Reactor
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Server

/// An API whose answer to `/held` comes when the test says so; it tells who asked.
final class HeldAPI: APIHandling {
  private let held = Mutex<[CheckedContinuation<Void, Never>]>([])

  var heldCount: Int { held.withLock { $0.count } }

  func bodyBytesMax(of head: HTTPRequestHead) -> Int { ServerConfiguration.bodyBytesMax }

  func respond(to request: APIRequest) async -> APIResponse {
    if request.head.path.hasPrefix("/held") {
      await withCheckedContinuation { waiter in held.withLock { $0.append(waiter) } }
    }
    return .whole(status: 200, mediaType: "text/plain", body: Array(request.head.path.utf8))
  }

  /// Lets the first so many go.
  func release(_ count: Int = .max) {
    let waiters = held.withLock { held in
      let first = Array(held.prefix(count))
      held.removeFirst(first.count)
      return first
    }
    for waiter in waiters { waiter.resume() }
  }
}

/// A server of one loop, without stations.
func withServer(
  of api: some APIHandling, events: EventRing = EventRing(firstID: 1),
  change: (inout ServerConfiguration) -> Void = { _ in },
  _ body: (RelayServer, SocketAddress) async throws -> Void
) async throws {
  var configuration = ServerConfiguration(
    listen: [SocketAddress("127.0.0.1:0")!], name: "Longwave/test")
  configuration.threads = 1
  configuration.headTimeout = 60
  change(&configuration)
  let server = try RelayServer(configuration: configuration, api: api, events: events)
  try await server.start()
  do {
    try await body(server, server.boundAddresses[0])
  } catch {
    await server.drain()
    throw error
  }
  await server.drain()
}

extension StreamClient {
  var text: String { String(decoding: received, as: UTF8.self) }
}

@Suite(.serialized)
struct ConnectionTableTests {
  @Test func `a token means nobody else, however often its place has changed hands`() {
    var table = ConnectionTable()
    let first = table.add(3, origin: .unixSocket, deadline: 0)!
    let token = table.token(first)
    for _ in 0..<10_000 {
      table.remove(first)
      let next = table.add(3, origin: .unixSocket, deadline: 0)!
      #expect(next == first)
      #expect(table.slot(of: token) == nil)
      #expect(table.slot(of: table.token(next)) == next)
      let event = table.token(next) & (1 << EventLoop.tokenBits - 1)
      #expect(table.slot(ofEvent: event) == next)
    }
  }

  @Test func `an answer for somebody who has left reaches nobody who comes after`() async throws {
    let api = HeldAPI()
    try await withServer(of: api) { server, address in
      let first = try StreamClient(
        to: address, sending: "GET /held/first HTTP/1.1\r\nHost: a\r\n\r\n")
      try await eventually("its request") { api.heldCount == 1 }
      first.reset()
      // So many that twelve bits would have come round.
      for _ in 0..<4095 {
        while await server.figures().connections > 0 { await Task.yield() }
        try StreamClient(to: address, sending: "GET /").reset()
      }
      while await server.figures().connections > 0 { await Task.yield() }
      let last = try StreamClient(
        to: address, sending: "GET /held/last HTTP/1.1\r\nHost: a\r\n\r\n")
      try await eventually("its request") { api.heldCount == 2 }
      api.release(1)
      try await Task.sleep(for: .milliseconds(200))
      last.drain()
      #expect(last.received.isEmpty)
      api.release()
      try await last.until { $0.text.hasSuffix("/held/last") }
    }
  }

  @Test func `a connection's place is small, for every listener has one`() {
    #expect(MemoryLayout<Connection>.stride <= 168)
  }
}
