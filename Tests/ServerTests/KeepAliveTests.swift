import Glibc
import Reactor
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// The answers in what a client received, taken apart by their lengths.
private func answers(in received: [UInt8]) -> [(status: Int, connection: String?, body: String)] {
  var answers: [(status: Int, connection: String?, body: String)] = []
  var rest = Substring(String(decoding: received, as: UTF8.self))
  while let head = rest.firstRange(of: "\r\n\r\n") {
    let lines = rest[..<head.lowerBound].split(separator: "\r\n")
    func field(_ name: String) -> String? {
      lines.first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
    }
    let status = Int(lines[0].split(separator: " ")[1]) ?? 0
    let body = rest[head.upperBound...].utf8.prefix(Int(field("Content-Length") ?? "0") ?? 0)
    answers.append((status, field("Connection"), String(Substring(body))))
    rest = rest[body.endIndex...]
  }
  return answers
}

extension String {
  fileprivate static func ask(_ line: String, _ fields: String = "") -> String {
    "\(line)\r\nHost: a\r\n\(fields)\r\n"
  }
}

@Suite(.serialized)
struct KeepAliveTests {
  @Test func `requests follow each other on one connection`() async throws {
    try await withServer { server in
      let client = try StreamClient(to: server.address, sending: .ask("GET /one HTTP/1.1"))
      try await client.until { answers(in: $0.received).count == 1 }
      client.send(Array(String.ask("POST /two HTTP/1.1", "Content-Length: 3\r\n").utf8))
      client.send(Array("abc".utf8))
      try await client.until { answers(in: $0.received).count == 2 }
      client.send(Array(String.ask("GET /jazz.m3u HTTP/1.1").utf8))
      try await client.until { answers(in: $0.received).count == 3 }
      client.send(Array(String.ask("GET /last HTTP/1.1", "Connection: close\r\n").utf8))
      try await client.until { $0.isEnded }
      let all = answers(in: client.received)
      #expect(all.map(\.status) == [200, 200, 200, 200])
      #expect(all.map(\.connection) == ["keep-alive", "keep-alive", "keep-alive", "close"])
      #expect(all[0].body == "GET /one 0" && all[1].body == "POST /two 3")
      #expect(all[2].body.contains("http://a/jazz"))
      #expect(all[3].body == "GET /last 0")
    }
  }

  @Test func `requests sent ahead are answered in their order`() async throws {
    try await withServer { server in
      let count = 100
      let requests = (0..<count).map { index in
        String.ask("\(index % 3 == 0 ? "HEAD" : "GET") /\(index) HTTP/1.1")
      }
      let client = try StreamClient(to: server.address, sending: requests.joined())
      Socket.shutdownWriting(client.fd)
      try await client.until { $0.isEnded }
      let bodies = heads(of: client.received)
      #expect(bodies == (0..<count).map { $0 % 3 == 0 ? "" : "GET /\($0) 0" })
    }
  }

  /// Bodies in order; those of HEAD, every third, are empty though they have a length.
  private func heads(of received: [UInt8]) -> [String] {
    var bodies: [String] = []
    var rest = Substring(String(decoding: received, as: UTF8.self))
    while let head = rest.firstRange(of: "\r\n\r\n") {
      rest = rest[head.upperBound...]
      if bodies.count % 3 == 0 {
        bodies.append("")
      } else {
        let end = rest.firstRange(of: "HTTP/1.1 ")?.lowerBound ?? rest.endIndex
        bodies.append(String(rest[..<end]))
        rest = rest[end...]
      }
    }
    return bodies
  }

  @Test func `HTTP 1_0 is kept only when it asks for it`() async throws {
    try await withServer { server in
      let plain = try StreamClient(to: server.address, sending: "GET /a HTTP/1.0\r\n\r\n")
      try await plain.until { $0.isEnded }
      #expect(answers(in: plain.received).map(\.connection) == ["close"])
      let kept = try StreamClient(
        to: server.address, sending: "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      try await kept.until { answers(in: $0.received).count == 1 }
      kept.send(Array("GET /b HTTP/1.0\r\n\r\n".utf8))
      try await kept.until { $0.isEnded }
      #expect(answers(in: kept.received).map(\.connection) == ["keep-alive", "close"])
    }
  }

  @Test func `requests behind one that cannot be understood are not answered`() async throws {
    try await withServer { server in
      let client = try StreamClient(
        to: server.address,
        sending: .ask("GET /a HTTP/1.1") + "junk\r\n\r\n" + .ask("GET /b HTTP/1.1"))
      try await client.until { $0.isEnded }
      let all = answers(in: client.received)
      #expect(all.map(\.status) == [200, 400])
      #expect(all.last?.connection == "close")
    }
  }

  @Test func `bytes behind a request for a stream are thrown away`() async throws {
    try await withServer { server in
      let client = try StreamClient(
        to: server.address, sending: .ask("GET /jazz HTTP/1.1") + .ask("GET /other HTTP/1.1"))
      try await client.until { $0.bodyCount > 20_000 }
      client.send([UInt8](repeating: 0xff, count: 30_000))
      let before = client.bodyCount
      try await client.until { $0.bodyCount > before + 10_000 }
      #expect(try NumberedFrames.numbers(in: client.body, mayEndInFrame: true).count > 60)
    }
  }

  @Test func `a chunked body reaches the API whole, however it is cut`() async throws {
    try await withServer { server in
      let body = "5;x\r\nhello\r\n6\r\n world\r\n0\r\nT: t\r\n\r\n"
      for cut in [0, 1, 4, 9, body.utf8.count - 1] {
        let client = try StreamClient(
          to: server.address,
          sending: .ask("POST /a HTTP/1.1", "Transfer-Encoding: chunked\r\n")
            + String(decoding: body.utf8.prefix(cut), as: UTF8.self))
        usleep(20_000)
        client.send(Array(body.utf8.dropFirst(cut)) + Array(String.ask("GET /b HTTP/1.1").utf8))
        try await client.until { answers(in: $0.received).count == 2 }
        #expect(answers(in: client.received).map(\.body) == ["POST /a 11", "GET /b 0"])
      }
    }
  }

  @Test(arguments: [
    ("zz\r\n", 400), ("ffffff\r\n" + String(repeating: "x", count: 70_000), 413),
  ])
  func `a chunked body that cannot be is refused`(body: String, status: Int) async throws {
    try await withServer { server in
      let client = try StreamClient(
        to: server.address,
        sending: .ask("POST /a HTTP/1.1", "Transfer-Encoding: chunked\r\n") + body)
      try await client.until { !answers(in: $0.received).isEmpty }
      #expect(answers(in: client.received).map(\.status) == [status])
    }
  }

  @Test func `a client that waits for it is told to send its body`() async throws {
    try await withServer { server in
      let client = try StreamClient(
        to: server.address,
        sending: .ask("POST /a HTTP/1.1", "Content-Length: 2\r\nExpect: 100-continue\r\n"))
      // From the go-ahead on the server waits for the body only so long.
      try client.wait { $0.received.count > 20 }
      #expect(answers(in: client.received).map(\.status) == [100])
      client.send(Array("ab".utf8))
      try await client.until { answers(in: $0.received).count == 2 }
      #expect(answers(in: client.received).last?.body == "POST /a 2")
    }
  }

  @Test func `a connection that never asks anything is closed without an answer`() async throws {
    try await withServer { server in
      let client = try StreamClient(to: server.address, sending: "")
      try await client.until { $0.isEnded }
      #expect(client.received.isEmpty)
    }
  }

  @Test(arguments: [
    ("/jazz", "GET, HEAD, OPTIONS"), ("*", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
    ("/api/v1/stations", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
  ])
  func `a browser's question is answered for every path`(target: String, allow: String)
    async throws
  {
    try await withServer { server in
      let client = try StreamClient(
        to: server.address, get: target, method: "OPTIONS")
      try await client.until { $0.isEnded }
      let head = try client.head()
      #expect(head.status == 204 && client.bodyCount == 0)
      #expect(head["allow"] == allow && head["access-control-allow-methods"] == allow)
      #expect(head["access-control-allow-origin"] == "*")
      #expect(head["access-control-allow-headers"]?.contains("Icy-MetaData") == true)
      #expect(head["access-control-expose-headers"]?.contains("icy-metaint") == true)
      #expect(head["content-length"] == nil)
    }
  }
}
