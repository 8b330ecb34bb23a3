import Glibc
import Reactor
import Synchronization
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

@Suite(.serialized)
struct RequestRecordTests {
  /// Keeps what it is told.
  private final class Notebook: RequestRecording {
    let all = Mutex<[FinishedRequest]>([])
    var isOn: Bool { true }
    func record(_ requests: [FinishedRequest]) { all.withLock { $0 += requests } }

    func until(count: Int) async throws -> [FinishedRequest] {
      try await eventually("\(count) records") { all.withLock { $0.count } >= count }
      return all.withLock { $0 }
    }
  }

  @Test func `every request of a connection is one record, with what its answer took`() async throws
  {
    let notebook = Notebook()
    try await withServer(change: { $0.requests = notebook }) { server in
      let client = try StreamClient(
        to: server.address,
        sending: "GET /jazz.m3u?x=1 HTTP/1.1\r\nHost: a\r\nUser-Agent: one\r\n"
          + "Referer: http://b/\r\n\r\nHEAD /jazz HTTP/1.1\r\nHost: a\r\n\r\n")
      try await client.until { $0.isEnded }
      let records = try await notebook.until(count: 2)
      #expect(records.map(\.status) == [200, 200])
      #expect(records.map { $0.line?.method } == ["GET", "HEAD"])
      #expect(records[0].line?.target == "/jazz.m3u?x=1" && records[0].line?.version == .http11)
      #expect(records[0].player == "one" && records[0].referer == "http://b/")
      #expect(records[1].player == nil)
      #expect(records.reduce(0) { $0 + Int($1.bytes) } == client.received.count)
    }
  }

  @Test func `a listener is a record at its end, with all its bytes`() async throws {
    let notebook = Notebook()
    try await withServer(change: {
      $0.requests = notebook
      $0.clients.trustedProxies = [AddressRange("127.0.0.0/8")!]
    }) { server in
      let client = try StreamClient(
        to: server.address,
        sending: "GET /jazz HTTP/1.0\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n")
      try await client.until { $0.bodyCount > 100_000 }
      #expect(notebook.all.withLock { $0.isEmpty })
      let id = try #require(await server.server.listeners().first?.id)
      #expect(await server.server.kick(listener: id))
      try await client.until { $0.isEnded }
      let record = try #require(try await notebook.until(count: 1).first)
      #expect(record.status == 200 && Int(record.bytes) == client.received.count)
      #expect(record.seconds > 0 && record.origin.host == "203.0.113.7")
    }
  }

  @Test func `a malformed request and a refused one are recorded as well`() async throws {
    let notebook = Notebook()
    try await withServer(change: { $0.requests = notebook }) { server in
      for request in [
        "\u{16}\u{3}\u{1}nonsense\r\n\r\n", "GET /jazz?offset=x HTTP/1.1\r\nHost: a\r\n\r\n",
      ] {
        let client = try StreamClient(to: server.address, sending: request)
        try await client.until { $0.received.count > 12 }
        client.hangUp()
      }
      let records = try await notebook.until(count: 2)
      #expect(records.map(\.status) == [400, 400])
      // Each loop tells of its own.
      #expect(Set(records.map { $0.line?.target }) == [nil, "/jazz?offset=x"])
    }
  }

  @Test func `a client that leaves before its answer is recorded as such`() async throws {
    let notebook = Notebook()
    try await withServer(
      seconds: 0, isFed: false,
      change: {
        $0.requests = notebook
        $0.firstPacketTimeout = 300
      }
    ) { server in
      var client: StreamClient? = try StreamClient(to: server.address, get: "/jazz")
      try await eventually("it waits") { await server.server.figures().connections == 1 }
      // A reset: one that only sends no more is waited with.
      var now = linger(l_onoff: 1, l_linger: 0)
      setsockopt(client!.fd, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
      client = nil
      #expect(try await notebook.until(count: 1).first?.status == 499)
    }
  }
}
