import TestSupport
import Testing
import Wire

struct HTTPRequestParserTests {
  private func parse(_ text: String, tolerant: Bool = true) throws(HTTPError) -> HTTPRequestHead? {
    try HTTPRequestParser.parse(Array(text.utf8).span, tolerant: tolerant)?.head
  }

  private func status(_ text: String, tolerant: Bool = true) -> Int? {
    status(Array(text.utf8), tolerant: tolerant)
  }

  /// 200: accepted; nil: more bytes are needed.
  private func status(_ bytes: [UInt8], tolerant: Bool = true) -> Int? {
    do throws(HTTPError) {
      return try HTTPRequestParser.parse(bytes.span, tolerant: tolerant) == nil ? nil : 200
    } catch {
      return error.status
    }
  }

  private let player =
    "GET /jazz.v1/caf%C3%A9?offset=5m&at=2026-11-20T18:00:00+01:00 HTTP/1.1\r\n"
    + "Host: radio.example:8000\r\nIcy-MetaData: 1\r\nuser-agent:  VLC/3.0 \t\r\n"
    + "Connection: close\r\n\r\n"

  @Test func `a player's request is read`() throws {
    let bytes = Array((player + "body").utf8)
    let (head, length) = try #require(try HTTPRequestParser.parse(bytes.span))
    #expect(length == bytes.count - 4)
    #expect(head.method == "GET")
    #expect(head.target == "/jazz.v1/caf%C3%A9?offset=5m&at=2026-11-20T18:00:00+01:00")
    #expect(head.path == "/jazz.v1/café")
    #expect(head.query["offset"] == "5m")
    #expect(head.query["at"] == "2026-11-20T18:00:00+01:00")
    #expect(head.version == .http11)
    #expect(head.fields["icy-metadata"] == "1")
    #expect(head.fields["User-Agent"] == "VLC/3.0")
    #expect(head.host == "radio.example:8000")
    #expect(head.contentLength == nil)
    #expect(!head.keepsAlive)
  }

  @Test func `an old radio's request without anything is enough`() throws {
    let head = try #require(try parse("GET /jazz HTTP/1.0\r\n\r\n"))
    #expect(head.path == "/jazz")
    #expect(head.version == .http10)
    #expect(head.host == nil)
    #expect(head.query.raw.isEmpty)
    #expect(!head.keepsAlive)
  }

  @Test func `a head that is cut anywhere needs more bytes`() {
    let bytes = Array(player.utf8)
    for length in 0..<bytes.count {
      #expect(status(Array(bytes[..<length])) == nil, "cut at \(length)")
      #expect(status(Array(bytes[..<length]), tolerant: false) == nil, "cut at \(length)")
    }
    #expect(status(bytes, tolerant: false) == 200)
  }

  @Test(arguments: [
    // The request line.
    ("GET /\r\n\r\n", 400), ("GET / HTTP/1.1 x\r\n\r\n", 400), ("GET  / HTTP/1.1\r\n\r\n", 400),
    ("GET /a b HTTP/1.1\r\n\r\n", 400), (" GET / HTTP/1.1\r\n\r\n", 400),
    ("G(T / HTTP/1.1\r\n\r\n", 400), ("GET\t/ HTTP/1.1\r\n\r\n", 400),
    ("GET / http/1.1\r\n\r\n", 400), ("GET / HTTP/1\r\n\r\n", 400),
    ("GET / HTTP/11.1\r\n\r\n", 400), ("GET / RTSP/1.0\r\n\r\n", 400),
    ("GET / HTTP/2.0\r\n\r\n", 505), ("GET / HTTP/0.9\r\n\r\n", 505),
    ("PRI * HTTP/2.0\r\n\r\n", 505), ("GET / HTTP/1.7\r\n\r\n", 200),
    ("SOURCE /live ICE/1.0\r\n\r\n", 200), ("GET / ICE/1.1\r\n\r\n", 400),
    ("CONNECT example.org:443 HTTP/1.1\r\n\r\n", 501),
    ("ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFG / HTTP/1.1\r\n\r\n", 501),
    ("\r\n\r\nGET / HTTP/1.1\r\n\r\n", 200), ("!POKE\r\n\r\n", 400),
    ("\u{16}\u{3}\u{1}", 400), ("\u{0}", 400), ("secret-password\r\n", 400),
    // The target.
    ("GET jazz HTTP/1.1\r\n\r\n", 400), ("GET * HTTP/1.1\r\n\r\n", 400),
    ("OPTIONS * HTTP/1.1\r\n\r\n", 200), ("GET ftp://x/ HTTP/1.1\r\n\r\n", 400),
    ("GET http:///x HTTP/1.1\r\n\r\n", 400), ("GET http://a b/ HTTP/1.1\r\n\r\n", 400),
    ("GET http://a<b/ HTTP/1.1\r\n\r\n", 400), ("GET /a#b HTTP/1.1\r\n\r\n", 400),
    ("GET /a%00b HTTP/1.1\r\n\r\n", 400), ("GET /a%0d%0ab HTTP/1.1\r\n\r\n", 400),
    ("GET /a%zz HTTP/1.1\r\n\r\n", 400), ("GET /a% HTTP/1.1\r\n\r\n", 400),
    ("GET /a%4 HTTP/1.1\r\n\r\n", 400), ("GET /a%FF HTTP/1.1\r\n\r\n", 400),
    ("GET /.. HTTP/1.1\r\n\r\n", 400), ("GET /a/../b HTTP/1.1\r\n\r\n", 400),
    ("GET /%2e%2E/b HTTP/1.1\r\n\r\n", 400), ("GET /a%2f..%2fb HTTP/1.1\r\n\r\n", 400),
    ("GET /./b HTTP/1.1\r\n\r\n", 400), ("GET /a/. HTTP/1.1\r\n\r\n", 400),
    ("GET /..a/.b/c../... HTTP/1.1\r\n\r\n", 200), ("GET /a?x=%zz&y=.. HTTP/1.1\r\n\r\n", 200),
    ("GET /;stream.nsv HTTP/1.1\r\n\r\n", 200), ("GET /café HTTP/1.1\r\n\r\n", 200),
    // The fields.
    ("GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", 400), ("GET / HTTP/1.1\r\n A: b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nA : b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nA\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\n: b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nA(: b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nA: b\u{0}\r\n\r\n", 400), ("GET / HTTP/1.1\r\nA: b\rc\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nA: b\u{7}\r\n\r\n", 400), ("GET / HTTP/1.1\r\nA: b\r\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nA:\r\n\r\n", 200), ("GET / HTTP/1.1\r\nA:b\tc\r\n\r\n", 200),
    ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
    // The body.
    ("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n", 200),
    ("POST / HTTP/1.1\r\nContent-Length: +5\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nContent-Length: 5, 5\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nContent-Length: 0x5\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nContent-Length:\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\ncontent-length: 99999999999999999999\r\n\r\n", 413),
    ("POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
    ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n", 400),
  ])
  func `a request that RFC 9112 calls invalid is refused`(request: String, expected: Int) {
    #expect(status(request) == expected)
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\nHost: a\n\r\n",
    "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "GET /café HTTP/1.1\r\nHost: a\r\n\r\n",
  ])
  func `requests of old radios are accepted only by a tolerant parser`(request: String) {
    #expect(status(request, tolerant: true) == 200)
    #expect(status(request, tolerant: false) == 400)
  }

  @Test func `a Host that is none is no host`() throws {
    #expect(try parse("GET / HTTP/1.1\r\nHost: <b>\r\n\r\n")?.host == nil)
    #expect(try parse("GET / HTTP/1.1\r\nHost:\r\n\r\n")?.host == nil)
    #expect(try parse("GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n")?.host == "[::1]:80")
  }

  @Test(arguments: [
    ("http://radio.example:8000/jazz?a=b", "/jazz", "a=b"), ("HTTP://h", "/", ""),
    ("https://user:pw@h?x", "/", "x"), ("http://h/", "/", ""),
  ])
  func `an absolute target gives path, query and host`(
    target: String, path: String, query: String
  ) throws {
    let head = try #require(try parse("GET \(target) HTTP/1.1\r\nHost: other\r\n\r\n"))
    #expect(head.target == target)
    #expect(head.path == path)
    #expect(head.query.raw == query)
    #expect(head.host == (target.contains("radio") ? "radio.example:8000" : "h"))
  }

  @Test func `the target of OPTIONS may be the server itself`() throws {
    let head = try #require(try parse("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"))
    #expect(head.target == "*" && head.path == "/")
  }

  @Test(
    arguments: [
      ("HTTP/1.1", nil, true), ("HTTP/1.1", "close", false), ("HTTP/1.1", "keep-alive", true),
      ("HTTP/1.1", "Upgrade, Close", false), ("HTTP/1.0", nil, false),
      ("HTTP/1.0", "Keep-Alive", true), ("HTTP/1.0", "keep-alive, close", false),
      ("ICE/1.0", nil, false), ("HTTP/1.1", "closed", true),
    ] as [(String, String?, Bool)])
  func `a connection is kept by version and Connection`(
    version: String, connection: String?, keeps: Bool
  ) throws {
    let field = connection.map { "Connection: \($0)\r\n" } ?? ""
    #expect(try parse("GET / \(version)\r\n\(field)\r\n")?.keepsAlive == keeps)
  }

  @Test func `a length is read and the body is not`() throws {
    let bytes = Array("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 007\r\n\r\n{\"a\":1}".utf8)
    let (head, length) = try #require(try HTTPRequestParser.parse(bytes.span))
    #expect(head.contentLength == 7)
    #expect(length == bytes.count - 7)
  }

  @Test func `a head has its bounds`() {
    let line = "GET / HTTP/1.1\r\n"
    func filled(to count: Int) -> String {
      line + "A: " + String(repeating: "x", count: count - line.utf8.count - 7) + "\r\n\r\n"
    }
    #expect(status(filled(to: 8192)) == 200)
    #expect(status(filled(to: 8193)) == 431)
    #expect(status(line + "A: " + String(repeating: "x", count: 8192)) == 431)
    #expect(status("GET /" + String(repeating: "x", count: 8192)) == 414)
    #expect(status("GET /" + String(repeating: "x", count: 9000) + " HTTP/1.1\r\n\r\n") == 414)
    #expect(status(String(repeating: "\r\n", count: 4096)) == 414)
    #expect(status(line + String(repeating: "A: b\r\n", count: 100) + "\r\n") == 200)
    #expect(status(line + String(repeating: "A: b\r\n", count: 101)) == 431)
  }

  @Test func `a value in Latin-1 is read`() throws {
    let bytes = Array("GET / HTTP/1.0\r\nUser-Agent: Caf".utf8) + [0xE9] + Array("\r\n\r\n".utf8)
    let field = try #require(try HTTPRequestParser.parse(bytes.span)).head.fields.list[0]
    #expect(field.value == "Café" && field.bytes == Array("Caf".utf8) + [0xE9])
  }

  @Test func `bytes in a query that are not UTF-8 are there as they came`() throws {
    func bytes(_ target: [UInt8]) -> [UInt8] {
      Array("GET ".utf8) + target + Array(" HTTP/1.0\r\n\r\n".utf8)
    }
    let said = bytes(Array("/say?song=Caf".utf8) + [0xE9] + Array("+%E9&a=1".utf8))
    let head = try #require(try HTTPRequestParser.parse(said.span)).head
    #expect(head.target == "/say?song=Caf%E9+%E9&a=1" && head.path == "/say")
    #expect(head.query.bytes(of: "song") == Array("Caf".utf8) + [0xE9, 0x2B, 0xE9])
    #expect(head.query["song"] == "Café+é")
    // A path is a name, and names are UTF-8.
    let path = bytes(Array("/caf".utf8) + [0xE9])
    #expect(throws: HTTPError.self) { try HTTPRequestParser.parse(path.span) }
    #expect(throws: HTTPError.self) { try HTTPRequestParser.parse(said.span, tolerant: false) }
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `random bytes never trap the request parser`(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let valid = Array(player.utf8)
    for _ in 0..<200 {
      let bytes = random.mutated(valid)
      let whole = status(bytes)
      // What is refused early is refused later too; what is accepted was never refused before.
      let cut = status(Array(bytes[..<Int.random(in: 0...bytes.count, using: &random)]))
      #expect(cut == nil || cut == whole)
      if let head = try? HTTPRequestParser.parse(bytes.span)?.head {
        #expect(head.path.hasPrefix("/"))
        #expect(!head.path.utf8.contains { $0 < 0x20 || $0 == 0x7F })
      }
    }
  }
}
