import Glibc
import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// Clients that mean harm, or know no better. Beside each of them somebody listens, and misses nothing.
@Suite(.serialized)
struct HostileClientTests {
  /// Runs `body` beside a listener, and sees afterwards that nothing of it is left.
  private func besideAListener(
    _ body: (TestServer) async throws -> Void
  ) async throws {
    try await withServer { server in
      let listener = try StreamClient(to: server.address, get: "/jazz")
      try await listener.until { $0.bodyCount > 10_000 }
      try await body(server)
      let before = listener.bodyCount
      try await listener.until("it goes on") { $0.bodyCount > before + 10_000 }
      let numbers = try NumberedFrames.numbers(in: listener.body, mayEndInFrame: true)
      #expect(numbers == Array(numbers[0]..<numbers[0] + UInt64(numbers.count)))
      try await eventually("only the listener is left", within: 60) {
        listener.drain()
        return await server.server.figures().connections == 1
      }
    }
  }

  private static let huge = String(repeating: "x", count: 1 << 20)

  @Test(arguments: [
    ("GET /jazz HTTP/1.1\r\nHost: a\r\nX: \(huge)\r\n\r\n", 431),
    ("GET /\(huge) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
    ("GET /jazz HTTP/1.1\r\nHost: a\r\n" + String(repeating: "A: b\r\n", count: 200) + "\r\n", 431),
    ("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}", 400), ("\u{0}\u{0}\u{0}\r\n\r\n", 400),
    ("GET /jazz\u{0} HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /jazz%00 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /jazz%0d%0aX:y HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /jazz HTTP/1.1\r\nHost: a\u{0}b\r\n\r\n", 400),
    ("GET /jazz HTTP/1.1\r\nHost: a\rb\r\n\r\n", 400),
    ("GET /jazz HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n", 400),
    ("GET /jazz HTTP/1.1\r\nHost: a\r\n folded: y\r\n\r\n", 400),
    ("GET /../../etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /..%2f..%2fetc%2fpasswd HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    ("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: -3\r\n\r\n", 400),
    ("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n", 400),
    ("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
    ("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n", 413),
    ("GET /x HTTP/9.9\r\nHost: a\r\n\r\n", 505),
  ])
  func `a malformed request is refused, and its connection ends`(
    request: String, status: Int
  ) async throws {
    try await besideAListener { server in
      let client = try StreamClient(to: server.address, sending: "")
      // All of it, however little the socket takes at a time; the server may refuse before the end.
      let bytes = Array(request.utf8)
      for start in stride(from: 0, to: bytes.count, by: 8192) {
        client.drain()
        if client.isEnded { break }
        client.send(Array(bytes[start..<min(bytes.count, start + 8192)]))
      }
      if status == 413, request.contains("chunked") {
        client.send([UInt8](repeating: 0x78, count: 70_000))
      }
      try await client.until("the refusal") { $0.received.count > 12 }
      #expect(try client.head().status == status)
    }
  }

  @Test func `a head that comes a byte at a time runs out of time`() async throws {
    try await besideAListener { server in
      let client = try StreamClient(to: server.address, sending: "GET /jazz HTTP/1.1\r\nX: ")
      try await client.until("the end of its time") {
        $0.send([0x78])
        return $0.received.count > 12
      }
      #expect(try client.head().status == 408)
    }
  }

  @Test func `thousands of requests behind one for a stream change nothing in it`() async throws {
    try await besideAListener { server in
      let client = try StreamClient(
        to: server.address, sending: "GET /jazz HTTP/1.1\r\nHost: a\r\n\r\n")
      let more = Array("GET /other HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
      for _ in 0..<20_000 { client.send(more) }
      try await client.until { $0.bodyCount > 20_000 }
      let numbers = try NumberedFrames.numbers(in: client.body, mayEndInFrame: true)
      #expect(numbers == Array(numbers[0]..<numbers[0] + UInt64(numbers.count)))
    }
  }

  @Test func `requests sent ahead without end are answered, or end the connection`() async throws {
    try await besideAListener { server in
      let client = try StreamClient(to: server.address, sending: "")
      let request = Array("GET /thread HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
      for _ in 0..<2_000 { client.send(request) }
      try await client.until("the end") { $0.isEnded || $0.received.count > 2_000 * 300 }
    }
  }

  @Test func `a probe for a range gets the stream with its titles`() async throws {
    try await besideAListener { server in
      let client = try StreamClient(
        to: server.address,
        sending: "GET /jazz HTTP/1.1\r\nHost: a\r\nRange: bytes=0-1\r\nIcy-MetaData: 1\r\n\r\n")
      try await client.until { $0.bodyCount > 1000 }
      #expect(try client.head().status == 200 && client.head()["icy-metaint"] == "16000")
    }
  }

  @Test func `connections that break at any stage leave nothing behind`() async throws {
    let stages = [
      "", "G", "GET /jazz HT", "GET /jazz HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /thread HTTP/1.1\r\nHost: a\r\n\r\n",
      "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab",
      "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
      "GET /events HTTP/1.1\r\nHost: a\r\n\r\n", "HEAD /jazz HTTP/1.1\r\nHost: a\r\n\r\n",
      "PUT /jazz HTTP/1.1\r\nHost: a\r\n\r\n", "GET /jazz.m3u HTTP/1.1\r\nHost: a\r\n\r\n",
    ]
    try await besideAListener { server in
      for stage in stages {
        for isReset in [false, true] {
          for _ in 0..<10 {
            let client = try StreamClient(to: server.address, sending: stage)
            if isReset {
              // Closing sends a reset in the place of the end.
              var linger = linger(l_onoff: 1, l_linger: 0)
              setsockopt(
                client.fd, SOL_SOCKET, SO_LINGER, &linger,
                socklen_t(MemoryLayout.size(ofValue: linger)))
            }
          }
        }
      }
    }
  }

  @Test func `hundreds of idle connections keep nobody from listening`() async throws {
    try await besideAListener { server in
      let idle = try (0..<800).map { _ in try StreamClient(to: server.address, sending: "GET /") }
      let client = try StreamClient(to: server.address, get: "/jazz")
      try await client.until { $0.bodyCount > 10_000 }
      try await eventually("they are told that they are too slow", within: 60) {
        for one in idle { one.drain() }
        return idle.allSatisfy(\.isEnded)
      }
      #expect(try idle[0].head().status == 408)
    }
  }
}
