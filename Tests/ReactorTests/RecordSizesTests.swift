import Testing

@testable import Reactor

@Suite struct RecordSizesTests {
  @Test(arguments: [
    ([], 0, 0...0), ([1000], 0, 0...0), ([1000], 1, 0...1000), ([1000], 1021, 0...1000),
    ([1000, 300], 321, 0...300), ([1000, 300], 322, 300...1300), ([1000, 300], 1, 0...300),
    // One write of more than a record's worth.
    ([40_000], 100, 0...7232), ([40_000], 7254, 7232...23_616),
    // More than was ever written, as of a stream whose records are not known.
    ([1000], 5000, 5000...5000 + 16_384),
  ])
  func `a TLS record confirmed in part counts as all of its text or none`(
    written: [Int], unconfirmed: Int, text: ClosedRange<Int>
  ) {
    var sizes = RecordSizes()
    for bytes in written { sizes.add(bytes) }
    #expect(sizes.text(ofUnconfirmed: unconfirmed) == text)
  }

  @Test func `the text of unconfirmed bytes is never told too short`() {
    var random = SystemRandomNumberGenerator()
    var (sizes, all) = (RecordSizes(), [Int]())
    for _ in 0..<500 {
      let size = Int.random(in: 1...16_384, using: &random)
      sizes.add(size)
      all.append(size)
      let unconfirmed = Int.random(in: 0...200_000, using: &random)
      // With more beside the text than is reckoned, as some ciphers have.
      var (covered, text) = (0, 0)
      for size in all.reversed() where covered < unconfirmed {
        covered += size + 29
        text += size
      }
      let told = sizes.text(ofUnconfirmed: unconfirmed)
      #expect(told.upperBound >= text && told.lowerBound <= told.upperBound)
      if unconfirmed < 30 { #expect(told.upperBound == text) }
    }
  }
}
