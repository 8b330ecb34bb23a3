import Testing

@testable import Wire

@Suite struct ValuesBoundsTests {
  private static let odd: [Double] = [
    .nan, .signalingNaN, .infinity, -.infinity, .greatestFiniteMagnitude,
    -.greatestFiniteMagnitude, 9_223_372_036_854_775_808, -9_223_372_036_854_777_856,
    18_446_744_073_709_551_616, .leastNonzeroMagnitude, -0.0,
  ]

  @Test(arguments: odd) func `infinity, NaN and huge numbers become whole numbers within bounds`(
    number: Double
  ) {
    for range in [0...10, -5...5, Int.min ... .max, 7...7] {
      #expect(range.contains(Int(bounded: number, in: range)))
    }
    _ = (UInt64(bounded: number), Int64(bounded: number), UInt8(bounded: number))
    let tenYears: Int64 = 315_576_000_000_000_000
    #expect((-tenYears...tenYears).contains(Int64(nanosecondsIn: number)))
    #expect(!DurationText.format(number).isEmpty)
  }

  @Test func `a number within its range is cut to a whole one`() {
    #expect(Int(bounded: 8.7, in: 0...9) == 8 && Int(bounded: -8.7, in: -9...9) == -8)
    #expect(Int(bounded: 9.5, in: 0...9) == 9 && Int(bounded: .nan, in: 3...9) == 3)
    #expect(Int64(nanosecondsIn: 1.5) == 1_500_000_000 && Int64(nanosecondsIn: .nan) == 0)
    #expect(UInt64(bounded: 1.8e19) == 18_000_000_000_000_000_000)
  }

  @Test func `sums, differences and products end at the ends`() {
    #expect(Int64.max.saturatingAdd(1) == .max && Int64.min.saturatingAdd(-1) == .min)
    #expect(Int64.min.saturatingSubtract(1) == .min && Int64.max.saturatingSubtract(-1) == .max)
    #expect(UInt64(1).saturatingSubtract(2) == 0 && UInt64.max.saturatingAdd(1) == .max)
    #expect(Int64.max.saturatingMultiply(-2) == .min && Int64.min.saturatingMultiply(-1) == .max)
    #expect(UInt64.max.saturatingMultiply(2) == .max && Int(7).saturatingMultiply(6) == 42)
  }

  @Test func `a number in a text counts only within its range`() {
    #expect(Int("128", in: Bounds.bitrates) == 128)
    for text in ["0", "-1", "100001", "9223372036854775807", "9223372036854775808", "", "x"] {
      #expect(Int(text, in: Bounds.bitrates) == nil)
    }
  }
}
