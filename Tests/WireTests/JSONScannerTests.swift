import Glibc
import TestSupport
import Testing

@testable import Wire

@Suite struct JSONScannerTests {
  private func tokens(
    _ bytes: [UInt8], depthMax: Int = 16
  ) throws(JSONScanner.Failure) -> [JSONScanner.Token] {
    var scanner = JSONScanner(bytes, depthMax: depthMax)
    var all: [JSONScanner.Token] = []
    while let token = try scanner.next() { all.append(token) }
    return all
  }

  private func tokens(_ text: String) throws(JSONScanner.Failure) -> [JSONScanner.Token] {
    try tokens(Array(text.utf8))
  }

  @Test func `objects and lists are what is between their ends`() throws {
    let found = try tokens(#" { "a" : [ 1 , "b" , { } , [ ] ] , "c":null}"# + "\r\n\t")
    #expect(
      found == [
        .objectStart, .key("a"), .arrayStart, .integer(1), .string("b"), .objectStart, .objectEnd,
        .arrayStart, .arrayEnd, .arrayEnd, .key("c"), .null, .objectEnd,
      ])
  }

  @Test(
    arguments: [
      ("0", .integer(0)), ("-0", .integer(0)), ("12", .integer(12)), ("1.0", .integer(1)),
      ("1e2", .integer(100)), ("-2.5E-1", .number(-0.25)), ("1e300", .number(1e300)),
      ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("true", .bool(true)),
      ("false", .bool(false)), ("null", .null), (#""""#, .string("")),
      (#""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{8}\u{C}\n\r\t")),
      (#""\u00e9\u0000\ud83d\uDE00é😀""#, .string("é\u{0}😀é😀")),
    ] as [(String, JSONScanner.Token)])
  func `a value is read as RFC 8259 has it`(text: String, token: JSONScanner.Token) throws {
    #expect(try tokens(text) == [token])
  }

  @Test(arguments: [
    "", " ", "{", "[", "]", "}", "{]", "[}", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{\"a\"",
    "{\"a\":",
    "{\"a\":}", "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "{1:1}", "{\"a\":1 \"b\":2}", "1 2", "{}{}",
    "{} x",
    "nul", "nulll", "True", "NaN", "Infinity", "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x10",
    "1e999",
    "-1e999", "\"", "\"a", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"",
    "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\n\"", "\"\u{1}\"", "'a'", "/* */ 1", "\u{FEFF}1",
    #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"[{"b":{"a":1,"c":2,"a":3}}]"#,
  ])
  func `text that is no JSON, or could be read in two ways, is refused`(text: String) {
    #expect(throws: JSONScanner.Failure.self) { try tokens(text) }
  }

  @Test func `bytes that are not UTF-8 are refused`() {
    for bytes in [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC3]] {
      let text = [0x22] + bytes.map(UInt8.init) + [0x22]
      #expect(throws: JSONScanner.Failure.self) { try tokens(text) }
      #expect(throws: JSONScanner.Failure.self) { try tokens([0x7B] + text + Array(":1}".utf8)) }
    }
  }

  @Test func `two objects of one document may have equal keys`() throws {
    _ = try tokens(#"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#)
  }

  @Test(arguments: ["[", #"{"a":"#]) func `sixteen deep is read, seventeen is not`(
    opening: String
  ) throws {
    let close = opening == "[" ? "]" : "}"
    func text(_ depth: Int) -> String {
      String(repeating: opening, count: depth - 1) + (opening == "[" ? "[]" : "{}")
        + String(repeating: close, count: depth - 1)
    }
    _ = try tokens(text(16))
    #expect(throws: JSONScanner.Failure.self) { try tokens(text(17)) }
    // Refused where it gets too deep, whatever follows.
    let hostile = String(repeating: opening, count: 100_000)
    do throws(JSONScanner.Failure) {
      _ = try tokens(hostile)
      Issue.record("it was read")
    } catch {
      #expect(error.offset == 16 * opening.utf8.count)
    }
  }

  @Test func `a number longer than any is refused`() throws {
    _ = try tokens(String(repeating: "9", count: 64))
    #expect(throws: JSONScanner.Failure.self) { try tokens(String(repeating: "9", count: 65)) }
    #expect(throws: JSONScanner.Failure.self) {
      try tokens("0." + String(repeating: "1", count: 250_000))
    }
  }

  private static let shapes: [@Sendable (Int) -> String] = [
    { "[" + String(repeating: "{},", count: $0) + "1]" },
    { "[" + String(repeating: "[[[[1]]]],", count: $0) + "1]" },
    { "{" + (0..<$0).map { "\"k\($0)\":1" }.joined(separator: ",") + "}" },
    { "\"" + String(repeating: #"\u0301"#, count: $0) + "\"" },
    { "{\"" + String(repeating: "\u{301}", count: $0) + "\":1}" },
    { "[1" + String(repeating: " ", count: $0) + "]" },
    { String(repeating: "1", count: $0) },
    { String(repeating: "[", count: $0) },
  ]

  /// Processor time of this thread, which other work does not lengthen.
  private func cost(_ text: String) -> Double {
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let bytes = Array(text.utf8)
    return (0..<5).map { _ in
      let before = now()
      _ = try? tokens(bytes)
      return now() - before
    }.min() ?? 0
  }

  @Test(arguments: shapes.indices) func `sixteen times the bytes are no more than so much the work`(
    shape: Int
  ) {
    let (small, large) = (cost(Self.shapes[shape](4000)), cost(Self.shapes[shape](64_000)))
    // Were it quadratic, it would be 256 times.
    #expect(large < 80 * small + 0.001)
  }

  @Test func `damage is read or refused, and never traps`() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix(seed: seed)
    let text = Array(
      #"{"a":[1,-2.5e3,true,null,"\u00e9\n\ud83d\ude00"],"b":{"c":"x"},"d":1e300}"#.utf8)
    for _ in 0..<3000 {
      var bytes = text
      for _ in 0..<3 { bytes = random.mutated(bytes) }
      do throws(JSONScanner.Failure) {
        let found = try tokens(bytes)
        #expect(found.count <= bytes.count, "seed \(seed)")
      } catch {
        #expect(error.offset <= bytes.count, "seed \(seed)")
      }
    }
  }
}
