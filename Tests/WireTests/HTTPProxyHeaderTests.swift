import TestSupport
import Testing

@testable import Wire

struct ProxyHeaderTests {
  private static let signature = "\r\n\r\n\0\r\nQUIT\n"

  private static func binary(
    _ family: UInt8, _ body: [UInt8], command: UInt8 = 0x21, length: Int? = nil
  ) -> [UInt8] {
    let length = length ?? body.count
    return Array(signature.utf8) + [command, family, UInt8(length >> 8), UInt8(length & 255)] + body
  }

  private static let four: [UInt8] = [203, 0, 113, 7, 10, 0, 0, 1, 0x12, 0x67, 0x1F, 0x40]
  private static let six: [UInt8] =
    [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [9]
    + [UInt8](repeating: 0, count: 15) + [1, 0x12, 0x67, 0x1F, 0x40]

  private static let good: [(bytes: [UInt8], header: ProxyHeader)] = [
    (
      Array("PROXY TCP4 203.0.113.7 10.0.0.1 4711 8000\r\n".utf8),
      .client(host: "203.0.113.7", port: 4711)
    ),
    (
      Array("PROXY TCP6 2001:db8::9 ::ffff:10.0.0.1 0 65535\r\n".utf8),
      .client(host: "2001:db8::9", port: 0)
    ),
    (Array("PROXY UNKNOWN\r\n".utf8), .unknown),
    (Array("PROXY UNKNOWN ffff::1 whatever it is\r\n".utf8), .unknown),
    (binary(0x11, four), .client(host: "203.0.113.7", port: 4711)),
    (binary(0x21, six), .client(host: "2001:db8:0:0:0:0:0:9", port: 4711)),
    // Type-length-values behind the addresses.
    (binary(0x11, four + [4, 0, 3, 1, 2, 3]), .client(host: "203.0.113.7", port: 4711)),
    (binary(0x00, [], command: 0x20), .unknown), (binary(0x11, four, command: 0x20), .unknown),
    (binary(0x31, [UInt8](repeating: 0, count: 216)), .unknown), (binary(0x00, []), .unknown),
  ]

  private func parse(_ bytes: [UInt8]) throws(HTTPError) -> (header: ProxyHeader, length: Int)? {
    try ProxyHeader.parse(bytes.span)
  }

  @Test func `a header says who the client is, wherever it is cut`() throws {
    for (bytes, header) in Self.good {
      for count in 0..<bytes.count {
        #expect(try parse(Array(bytes[..<count])) == nil, "\(header) \(count)")
      }
      for rest in ["", "GET / HTTP/1.1\r\n", "\r\n"] {
        let found = try #require(try parse(bytes + Array(rest.utf8)))
        #expect(found.header == header && found.length == bytes.count)
      }
    }
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\n", "proxy TCP4 1.2.3.4 1.2.3.4 1 2\r\n", "PROXY\r\n", "PROXY \r\n",
    "PROXY TCP4\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 2 3\r\n",
    "PROXY TCP4 1.2.3.4  1.2.3.4 1 2\r\n", "PROXY TCP4 ::1 ::1 1 2\r\n",
    "PROXY TCP6 1.2.3.4 1.2.3.4 1 2\r\n", "PROXY TCP4 localhost 1.2.3.4 1 2\r\n",
    "PROXY TCP4 1.2.3.4 1.2.3.4 65536 2\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 01 2\r\n",
    "PROXY TCP4 1.2.3.4 1.2.3.4 -1 2\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\n",
    "PROXY TCP5 1.2.3.4 1.2.3.4 1 2\r\n", "PROXY UNKNOWN\n", "\r\n\r\nGET / HTTP/1.1\r\n",
    "\u{16}\u{3}\u{1}\u{2}",
  ])
  func `a malformed PROXY line is refused`(text: String) {
    #expect(throws: HTTPError.self) { try parse(Array(text.utf8)) }
  }

  @Test func `a wrong binary header is refused as soon as it shows`() {
    let wrong: [[UInt8]] = [
      Self.binary(0x11, Self.four, command: 0x31), Self.binary(0x11, Self.four, command: 0x22),
      Self.binary(0x11, Array(Self.four.dropLast())), Self.binary(0x21, Self.four),
      Self.binary(0x13, Self.four), Self.binary(0x41, Self.four),
      Self.binary(0x11, Self.four, length: 5000),
    ]
    for bytes in wrong { #expect(throws: HTTPError.self, "\(bytes)") { try parse(bytes) } }
    let endless = "PROXY UNKNOWN " + String(repeating: "x", count: 200)
    #expect(throws: HTTPError.self) { try parse(Array(endless.utf8)) }
  }

  @Test func `mutations are a header, none, or not all here`() {
    var random = SplitMix(seed: 41)
    for round in 0..<20_000 {
      let (bytes, _) = Self.good[Int(random.next() % UInt64(Self.good.count))]
      let changed = random.mutated(bytes)
      guard let found = try? parse(changed) else { continue }
      #expect(found.length <= changed.count && found.length <= ProxyHeader.binaryMax, "\(round)")
      if case .client(let host, _) = found.header {
        #expect(host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "seed 41, round \(round)")
      }
    }
  }
}
