import Testing
import Threads

@Suite struct DurationCountsTests {
  @Test(arguments: [
    (-5, 0), (0, 0), (1, 0), (8192, 0), (8193, 1), (16_384, 1), (16_385, 2),
    (17_179_869_184, 21), (17_179_869_185, 22), (Int64.max, 22),
  ])
  func `a duration counts up to the first bound that it does not pass`(
    nanoseconds: Int64, bucket: Int
  ) {
    var counts = DurationCounts()
    counts.add(nanoseconds: nanoseconds)
    #expect(counts.upTo().map { $0.count } == (0..<23).map { $0 < bucket ? 0 : 1 })
    #expect(counts.seconds == Double(max(0, nanoseconds)) / 1e9)
  }

  @Test func `bounds are powers of two of nanoseconds, and some may be left out`() {
    var counts = DurationCounts()
    for power in 0..<40 { counts.add(nanoseconds: 1 << Int64(power)) }
    let all = counts.upTo()
    #expect(all.map { $0.bound }.dropLast() == (13...34).map { Double(UInt64(1) << $0) / 1e9 }[...])
    #expect(all.last?.bound == .infinity && all.last?.count == 40 && counts.count == 40)
    for step in 2...5 {
      let some = counts.upTo(each: step)
      #expect(some.last?.bound == .infinity && some.last?.count == 40)
      for each in some {
        #expect(all.contains { $0.bound == each.bound && $0.count == each.count })
      }
    }
  }

  @Test func `counts of two loops add up`() {
    var (one, other) = (DurationCounts(), DurationCounts())
    one.add(nanoseconds: 10_000)
    other.add(nanoseconds: 10_000_000)
    one.add(other)
    #expect(one.count == 2 && one.seconds == 0.01001)
  }
}
