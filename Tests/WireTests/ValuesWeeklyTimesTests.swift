import Testing
import Wire

/// Hours of the week as values; zones and clock changes are tested with recordings, which name real zones.
@Suite struct ValuesWeeklyTimesTests {
  private static func times(_ from: Int, _ to: Int, _ days: Weekday...) -> WeeklyTimes {
    WeeklyTimes(days: Set(days), from: from * 3600, to: to * 3600)
  }

  struct Case: Sendable {
    var one: WeeklyTimes
    var two: WeeklyTimes
    /// In hours since Monday 0:00.
    var both: [Range<Int>]
  }

  static let cases = [
    Case(one: times(10, 12, .mon), two: times(11, 13, .mon), both: [11..<12]),
    Case(one: times(10, 12, .mon), two: times(12, 13, .mon), both: []),
    Case(one: times(10, 12, .mon), two: times(11, 13, .tue), both: []),
    Case(one: times(20, 2, .fri, .sat), two: times(1, 3, .sat), both: [97 + 24..<98 + 24]),
    // The night of Sunday ends on Monday.
    Case(one: times(22, 4, .sun), two: times(0, 6, .mon), both: [0..<4]),
    Case(one: times(0, 0, .wed), two: times(5, 6, .wed, .thu), both: [53..<54]),
    Case(
      one: times(8, 9, .mon, .tue), two: times(8, 9, .mon, .tue, .wed), both: [8..<9, 32..<33]),
  ]

  @Test(arguments: cases)
  func `hours that two times share are found, over midnight and the week's end too`(example: Case) {
    let both = example.both.map { $0.lowerBound * 3600..<$0.upperBound * 3600 }
    #expect(example.one.overlaps(with: example.two) == both)
    #expect(example.two.overlaps(with: example.one) == both)
  }

  @Test func `a day's name follows from its number, before 1970 too`() {
    #expect(Weekday(daysSince1970: 0) == .thu)
    #expect(Weekday(daysSince1970: 20_786) == .sun)
    #expect(Weekday(daysSince1970: -1) == .wed)
    #expect(Weekday(daysSince1970: -8) == .wed)
  }
}
