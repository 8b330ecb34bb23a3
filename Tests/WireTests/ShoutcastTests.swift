import TestSupport
import Testing
import Wire

@Suite struct ShoutcastLoginTests {
  private typealias Reading = ShoutcastLogin.Reading

  private func opening(_ text: String) -> ShoutcastLogin.Opening? {
    ShoutcastLogin.open(Array(text.utf8))
  }

  private func readings(_ text: String) -> [ShoutcastLogin.Reading]? {
    guard case .login(let login, _)? = opening(text) else { return nil }
    return login.readings
  }

  private static func plain(_ text: String) -> Reading { Reading(password: Array(text.utf8)) }

  @Test func `a line is a password, however it ends`() {
    for end in ["\n", "\r\n", "\r\r\n"] {
      #expect(readings("hackme" + end + "icy-name:x\r\n") == [Self.plain("hackme")])
      guard case .login(_, let length)? = opening("hackme" + end + "icy") else {
        Issue.record("no login")
        return
      }
      #expect(length == 6 + end.utf8.count)
    }
  }

  @Test func `a colon may name a stream, a mount or a user, or be part of the password`() {
    #expect(
      readings("hack:#3\n") == [
        Self.plain("hack:#3"), Reading(password: Array("hack".utf8), sid: 3), Self.plain("#3"),
      ])
    #expect(
      readings("/jazz:hack:me\n") == [
        Self.plain("/jazz:hack:me"), Reading(password: Array("hack:me".utf8), mount: "/jazz"),
      ])
    #expect(readings("source:hack\n") == [Self.plain("source:hack"), Self.plain("hack")])
    #expect(readings("hack:#0\n") == [Self.plain("hack:#0"), Self.plain("#0")])
    #expect(readings("hack:#x\n") == [Self.plain("hack:#x"), Self.plain("#x")])
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\n", "SOURCE /live HTTP/1.0\r\n", "SOURCE /live ICE/1.0\n",
    "PUT /a HTTP/1.1\r\nHost: x\r\n",
  ])
  func `an HTTP request is told from a SHOUTcast login`(text: String) {
    #expect(opening(text) == .http)
  }

  @Test(arguments: ["\n", "\r\n", "a\u{0}b\n", "a\tb\n", "a\rb\n", "\u{7F}\n"])
  func `an empty line, or one with control characters, is no password`(text: String) {
    #expect(opening(text) == .garbage)
  }

  @Test func `a probe is one, and a line without an end is bounded`() {
    #expect(opening("!POKE\r\n") == .probe)
    #expect(opening("") == nil && opening("hackme") == nil)
    #expect(opening(String(repeating: "a", count: 600)) == nil)
    #expect(opening(String(repeating: "a", count: 601)) == .garbage)
    #expect(opening(String(repeating: "a", count: 601) + "\n") == .garbage)
  }

  @Test func `every split of a line waits for its end`() {
    let whole = Array("/jazz:hackme\r\n".utf8)
    for count in 0..<whole.count { #expect(ShoutcastLogin.open(Array(whole[..<count])) == nil) }
    #expect(ShoutcastLogin.open(whole) != nil)
  }

  @Test func `random logins give one to three readings, within their bytes`() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix(seed: seed)
    let bases = ["hackme\r\n", "/a:b\n", "x:#12\r\n", "GET / HTTP/1.0\r\n"].map { Array($0.utf8) }
    for _ in 0..<20_000 {
      var bytes = bases[Int(random.next() % 4)]
      for _ in 0..<(random.next() % 4) {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      guard case .login(let login, let length)? = ShoutcastLogin.open(bytes) else { continue }
      #expect(length <= bytes.count && bytes[length - 1] == 10, "seed \(seed): \(bytes)")
      #expect((1...3).contains(login.readings.count), "seed \(seed): \(bytes)")
    }
  }
}

@Suite struct ShoutcastFieldsTests {
  private static let text =
    "icy-name:Jazz FM\r\nicy-genre: Jazz \r\nicy-pub:1\nContent-Type:audio/mpeg\r\n"
    + "no field\r\n:x\r\nicy url:x\r\nicy-url:http://x/:8000\r\n\r\n"

  /// The fields as text, and how many bytes they took, fed in pieces.
  private func read(_ pieces: [[UInt8]]) throws -> (fields: [String], taken: Int, isComplete: Bool)
  {
    var fields = ShoutcastFields()
    var taken = 0
    for piece in pieces where !fields.isComplete { taken += try fields.read(piece.span) }
    let list = fields.list.map { "\($0.name)=\(String(decoding: $0.value, as: UTF8.self))" }
    return (list, taken, fields.isComplete)
  }

  private static let expected = [
    "icy-name=Jazz FM", "icy-genre=Jazz", "icy-pub=1", "Content-Type=audio/mpeg",
    "icy-url=http://x/:8000",
  ]

  @Test func `fields are read up to the empty line, split anywhere`() throws {
    let bytes = Array(Self.text.utf8)
    let audio: [UInt8] = [0xFF, 0xFB, 10, 10]
    for split in 0...bytes.count {
      let read = try read([Array(bytes[..<split]), bytes[split...] + audio])
      #expect(read.fields == Self.expected && read.isComplete, "\(split)")
      #expect(read.taken == bytes.count, "\(split)")
    }
    let single = try read((bytes + audio).map { [$0] })
    #expect(single.fields == Self.expected && single.taken == bytes.count)
  }

  @Test func `a source may say nothing`() throws {
    let nothing = try read([[13, 10, 0xFF]])
    #expect(nothing.fields.isEmpty && nothing.taken == 2 && nothing.isComplete)
  }

  @Test func `a source's head without end is refused`() throws {
    let endless = Array(repeating: UInt8(ascii: "a"), count: 40_000)
    #expect(throws: ShoutcastFields.TooLong.self) { try read([endless]) }
    let lines = Array(String(repeating: "a:b\n", count: 10_000).utf8)
    #expect(throws: ShoutcastFields.TooLong.self) { try read([lines]) }
  }

  @Test func `random heads give the same fields split anywhere`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix(seed: seed)
    for _ in 0..<5000 {
      var bytes = Array(Self.text.utf8)
      for _ in 0..<(1 + random.next() % 6) {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      let whole = try read([bytes])
      let split = Int(random.next() % UInt64(bytes.count))
      let parts = try read([Array(bytes[..<split]), Array(bytes[split...])])
      #expect(whole == parts, "seed \(seed): \(bytes)")
      #expect(whole.taken <= bytes.count, "seed \(seed)")
    }
  }
}
