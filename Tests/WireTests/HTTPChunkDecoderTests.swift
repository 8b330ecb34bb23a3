import TestSupport
import Testing

@testable import Wire

private struct Decoded: Equatable {
  var body: [UInt8] = []
  var isAtEnd = false
  /// Bytes behind the body.
  var left = 0
}

/// Decodes input given in pieces that end where `cuts` says.
private func decode(_ input: [UInt8], cuts: [Int]) throws(HTTPError) -> Decoded {
  var decoder = HTTPChunkDecoder()
  var decoded = Decoded()
  var start = 0
  for end in cuts + [input.count] {
    let piece = Array(input[start..<end])
    var position = 0
    while let range = try decoder.next(in: piece.span, from: &position) {
      decoded.body += piece[range]
    }
    decoded.left += piece.count - position
    start = end
  }
  decoded.isAtEnd = decoder.isAtEnd
  return decoded
}

struct HTTPChunkDecoderTests {
  @Test(arguments: [
    ("0\r\n\r\n", "", true, 0),
    ("5\r\nhello\r\n0\r\n\r\n", "hello", true, 0),
    ("5\r\nhello\r\n00A\r\n, my world\r\n0\r\n\r\nGET", "hello, my world", true, 3),
    ("3;name=value\r\nabc\r\n0;last\r\nTrailer: x\r\nAnother: y\r\n\r\n", "abc", true, 0),
    ("a \r\n0123456789\r\n", "0123456789", false, 0),
    ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n", true, 0),
    ("ff", "", false, 0),
  ])
  func `chunks are taken apart wherever the input is cut`(
    input: String, body: String, isAtEnd: Bool, left: Int
  ) throws {
    let bytes = Array(input.utf8)
    let expected = Decoded(body: Array(body.utf8), isAtEnd: isAtEnd, left: left)
    #expect(try decode(bytes, cuts: []) == expected)
    #expect(try decode(bytes, cuts: Array(1..<bytes.count)) == expected)
    for cut in 0...bytes.count { #expect(try decode(bytes, cuts: [cut]) == expected) }
  }

  @Test(arguments: [
    "\r\n", "x\r\n", "-1\r\n", "5\nhello", "5\r\nhelloX", "5\r\nhello\n", "5\r\nhello\r\n\r\n",
    "0\r\n\n", "0\r\nTrailer\n\r\n", "0\r\nA: \u{0}\r\n\r\n", "1;\u{1}\r\n", "5\rhello",
    "ffffffffffff\r\n", ";\r\n", "0x5\r\nhello\r\n",
    "0\r\n" + String(repeating: "A: b\r\n", count: 3000) + "\r\n",
    "1;" + String(repeating: "e", count: 9000) + "\r\n",
  ])
  func `a malformed chunk is refused`(input: String) {
    #expect(throws: HTTPError.self) { try decode(Array(input.utf8), cuts: []) }
  }

  @Test func `random damage is refused or read, and never reads past the input`() throws {
    var random = SplitMix(seed: 7)
    let whole = Array("1a;x=y\r\nabcdefghijklmnopqrstuvwxyz\r\n4\r\nwxyz\r\n0\r\nT: u\r\n\r\n".utf8)
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1..<4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      guard let decoded = try? decode(bytes, cuts: []) else { continue }
      #expect(decoded.body.count <= bytes.count && decoded.left <= bytes.count)
      #expect(try decode(bytes, cuts: Array(1..<bytes.count)) == decoded)
    }
  }
}
