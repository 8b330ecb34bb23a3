import COpenSSL
import Glibc
import TestSupport
import Testing

@testable import Ingest

@Suite struct FetchTests {
  @Test func `a whole reply has status, fields and body`() throws {
    let server = try FakeUpstream(.numbered())
    defer { server.stop() }
    server.reply("/x", with: .file(Array("{}".utf8), mediaType: "application/json"))
    let reply = try Fetch.request(
      url: server.url("/x"), headers: ["Authorization: Bearer t"], timeout: 5)
    #expect(reply.status == 200 && reply.body == Array("{}".utf8))
    #expect(reply["content-type"] == "application/json")
    #expect(server.requests[0].fields["authorization"] == "Bearer t")
  }

  @Test func `a status of 404 is a reply and no error`() throws {
    let server = try FakeUpstream(.numbered())
    defer { server.stop() }
    let reply = try Fetch.request(url: server.url("/none"), timeout: 5)
    #expect(reply.status == 404 && !reply.body.isEmpty)
  }

  // A thread that ends with the process, a little later, still uses it: a command died of that, with its work done.
  @Test func `OpenSSL is not taken down at the end of a process`() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      _ = try? Fetch.request(url: "https://127.0.0.1:1/", timeout: 5)
      OPENSSL_atexit { _ = write(STDERR_FILENO, "taken down", 10) }
      exit(0)
    }
    let said = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
    #expect(said?.contains("taken down") == false)
  }

  @Test func `a fetch of a server that is gone is unreachable, of a silent one timed out`() throws {
    let server = try FakeUpstream(.numbered())
    server.reply("/silent", with: .silence)
    let late = #expect(throws: FetchError.self) {
      try Fetch.request(url: server.url("/silent"), timeout: 0.2)
    }
    #expect(late?.kind == .timedOut)
    server.stop()
    let gone = #expect(throws: FetchError.self) {
      try Fetch.request(url: server.url("/x"), timeout: 2)
    }
    #expect(gone?.kind == .unreachable)
    let socket = #expect(throws: FetchError.self) {
      try Fetch.request(url: "http://localhost/x", unixSocket: "/nowhere/at.all", timeout: 2)
    }
    #expect(socket?.kind == .unreachable)
  }

  @Test func `a stream is read until enough has come`() throws {
    let server = try FakeUpstream(.numbered(before: 100))
    defer { server.stop() }
    server.reply("/live", with: .chunked())
    var bytes: [UInt8] = []
    var statuses: [Int] = []
    let reply = try Fetch.stream(
      url: server.url("/live"),
      onHead: { head in
        statuses.append(head.status)
        return true
      }
    ) { piece in
      piece.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
      return bytes.count < 30_000
    }
    #expect(statuses == [200] && reply.status == 200 && reply.body.isEmpty)
    #expect(try NumberedFrames.numbers(in: bytes, mayEndInFrame: true).count > 50)
  }

  @Test func `a request's method and body arrive`() throws {
    let server = try FakeUpstream(.numbered())
    defer { server.stop() }
    server.reply("/x", with: .file([], mediaType: "application/json"))
    let body = Array(#"{"id":"jazz"}"#.utf8)
    _ = try Fetch.request(
      url: server.url("/x"), method: "PUT", headers: ["Content-Type: application/json"],
      body: body, timeout: 5)
    _ = try Fetch.request(url: server.url("/x"), method: "POST", body: [], timeout: 5)
    _ = try Fetch.request(url: server.url("/x"), method: "DELETE", timeout: 5)
    #expect(server.requests.map(\.method) == ["PUT", "POST", "DELETE"])
    #expect(server.requests.map { $0.fields["content-length"] } == ["13", "0", nil])
    #expect(server.requests[0].body == body)
  }

  @Test func `a redirect is a reply, and is not followed`() throws {
    let server = try FakeUpstream(.numbered())
    defer { server.stop() }
    server.reply("/x", with: .redirect(to: "/y"))
    let reply = try Fetch.request(url: server.url("/x"), method: "POST", body: [1], timeout: 5)
    #expect(reply.status == 302 && reply["location"] == "/y")
    #expect(server.requests.map(\.path) == ["/x"])
  }

  @Test func `a reply asked for its head alone is not read to the end of its body`() throws {
    let server = try FakeUpstream(.numbered())
    defer { server.stop() }
    let endless = FakeReply(
      statusLine: "HTTP/1.1 200 OK", fields: [("icecast-auth-user", "1")],
      body: .pieces([[UInt8](repeating: 0, count: 1 << 20)], pause: 0, thenCloses: false))
    server.reply("/x", with: endless)
    let reply = try Fetch.head(
      ofReplyTo: server.url("/x"), method: "POST", headers: [], body: [1], timeout: 20)
    #expect(reply.status == 200 && reply["icecast-auth-user"] == "1" && reply.body.isEmpty)
    #expect(server.requests[0].body == [1])
  }

  @Test func `a body that is longer than its reader takes is an error that says so`() throws {
    let server = try FakeUpstream(.numbered())
    defer { server.stop() }
    let body = [UInt8](repeating: 32, count: 2 << 20)
    server.reply("/x", with: .file(body, mediaType: "application/json"))
    let error = #expect(throws: FetchError.self) {
      try Fetch.request(url: server.url("/x"), bytesMax: 1 << 20, timeout: 20)
    }
    #expect(error?.kind == .tooLong && error?.reason == "the reply is longer than 1 MiB")
    let whole = try Fetch.request(url: server.url("/x"), bytesMax: 2 << 20, timeout: 20)
    #expect(whole.body.count == body.count)
  }

  @Test func `a head without an end is an error`() throws {
    let server = try FakeUpstream(.numbered())
    defer { server.stop() }
    let fields = (0..<2000).map { ("X-\($0)", String(repeating: "y", count: 100)) }
    server.reply(
      "/x", with: FakeReply(statusLine: "HTTP/1.1 200 OK", fields: fields, body: .bytes([])))
    let error = #expect(throws: FetchError.self) {
      try Fetch.request(url: server.url("/x"), timeout: 20)
    }
    #expect(error?.reason == "the head of the reply is longer than 64 KiB")
  }
}
