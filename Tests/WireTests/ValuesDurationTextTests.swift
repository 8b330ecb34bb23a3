import TestSupport
import Testing
import Wire

struct ValuesDurationTextTests {
  @Test(
    arguments: [
      ("0", 0), ("90", 90), ("90s", 90), ("5m", 300), ("1h30m", 5400), ("-300", -300),
      ("-5m", -300), ("1.5", 1.5), ("1.25s", 1.25), ("1d2h3m4s", 93_784), ("1d", 86_400),
      ("90m", 5400), ("1d4s", 86_404), ("1m2.5s", 62.5), ("0s", 0), ("-0", 0), ("007", 7),
      ("3650d", 315_360_000), ("315576000", 315_576_000), ("0.000001", 0.000001),
    ] as [(String, Double)])
  func `durations are read as people write them`(text: String, seconds: Double) {
    #expect(DurationText.parse(text) == seconds)
  }

  @Test(arguments: [
    "", "-", "s", "m", "-s", "1x", "1h30", "30m1h", "1m1m", "1s1d", "1.5h", "1.5m", ".5", "5.",
    "1..2", "1.2.3", "+5", "--5", "5 m", " 5", "5 ", "1e3", "inf", "nan", "0x10", "1:30", "５",
    "4000d", "315576001", "99999999999999999999999999999999999999", "no", "5M", "1h-3m", "1ms",
  ])
  func `a malformed duration is refused`(text: String) {
    #expect(DurationText.parse(text) == nil)
  }

  @Test(
    arguments: [
      (0, "0s"), (90, "1m30s"), (5400, "1h30m"), (300, "5m"), (-300, "-5m"), (4.5, "4.5s"),
      (86_404, "1d4s"), (0.25, "0.25s"), (0.0001, "0s"), (-0.0001, "0s"), (59.9996, "1m"),
      (1.001, "1.001s"), (1e300, "3652d12h"), (-1e300, "-3652d12h"),
    ] as [(Double, String)])
  func `durations are written short`(seconds: Double, text: String) {
    #expect(DurationText.format(seconds) == text)
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func `a written duration is read again as it was`(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    for _ in 0..<300 {
      let bound = [1.0, 100, 100_000, DurationText.secondsMax].randomElement(using: &random)!
      let seconds = Double.random(in: -bound...bound, using: &random)
      let read = try #require(DurationText.parse(DurationText.format(seconds)))
      #expect(abs(read - seconds) < 0.00051)
    }
  }
}
