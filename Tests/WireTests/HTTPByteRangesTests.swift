import TestSupport
import Testing
import Wire

struct HTTPByteRangesTests {
  private func wanted(_ range: String?, ifRange: String? = nil, of length: Int = 100) -> ByteRanges
  {
    var fields = HTTPFields()
    if let range { fields.append("Range", range) }
    if let ifRange { fields.append("If-Range", ifRange) }
    return .wanted(fields, of: length, tag: "\"a\"")
  }

  @Test(
    arguments: [
      (nil, .whole), ("bytes=0-9", .parts([0..<10])), ("bytes=90-", .parts([90..<100])),
      ("bytes=-5", .parts([95..<100])), ("bytes=-500", .parts([0..<100])),
      ("bytes=50-500", .parts([50..<100])), ("BYTES=0-0", .parts([0..<1])),
      ("bytes=0-9, 20-29 ,-1", .parts([0..<10, 20..<30, 99..<100])),
      ("bytes=,0-9,,", .parts([0..<10])), ("bytes=100-", .unsatisfiable),
      ("bytes=-0", .unsatisfiable), ("bytes=200-300,-0", .unsatisfiable),
      ("bytes=5-9,200-", .parts([5..<10])),
      ("bytes=99999999999999999999999-", .unsatisfiable),
      ("bytes=1-99999999999999999999999", .parts([1..<100])),
      // What cannot be understood does not count.
      ("bytes=9-5", .whole), ("bytes=a-b", .whole), ("bytes=", .whole), ("bytes=-", .whole),
      ("bytes=1-2-3", .whole), ("seconds=1-2", .whole), ("bytes", .whole), ("bytes=+1-2", .whole),
      // More than the whole in parts is the whole.
      ("bytes=0-,0-", .whole),
      ("bytes=" + (0...16).map { "\($0)-\($0)" }.joined(separator: ","), .whole),
    ] as [(String?, ByteRanges)])
  func `a range says which bytes`(range: String?, expected: ByteRanges) {
    #expect(wanted(range) == expected)
  }

  @Test func `a range of another body than the client knows is all of it`() {
    #expect(wanted("bytes=0-9", ifRange: "\"a\"") == .parts([0..<10]))
    #expect(wanted("bytes=0-9", ifRange: "\"b\"") == .whole)
    #expect(wanted("bytes=0-9", ifRange: "W/\"a\"") == .whole)
    #expect(wanted("bytes=0-9", ifRange: "Fri, 20 Nov 2026 18:00:00 GMT") == .whole)
  }

  @Test func `a range of an empty body cannot be satisfied`() {
    #expect(wanted("bytes=0-", of: 0) == .unsatisfiable)
    #expect(wanted("bytes=-1", of: 0) == .unsatisfiable)
  }

  @Test func `random ranges lie in the body`() {
    var random = SplitMix(seed: 20_261_121)
    let signs = Array("bytes=0123456789-, ")
    for _ in 0..<20_000 {
      let count = Int(random.next() % 24)
      let text =
        "bytes=" + String((0..<count).map { _ in signs[Int(random.next() % UInt64(signs.count))] })
      if case .parts(let parts) = wanted(text) {
        #expect(
          parts.allSatisfy { !$0.isEmpty && $0.lowerBound >= 0 && $0.upperBound <= 100 }, "\(text)")
      }
    }
  }
}
