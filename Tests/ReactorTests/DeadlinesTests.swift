import Testing

@testable import Reactor

@Suite struct DeadlinesTests {
  @Test func `the earliest deadline is due first, and none before its time`() {
    var deadlines = Deadlines<Int>()
    for key in [5, 1, 4, 2, 3] { deadlines.set(key, deadline: Int64(key) * 10) }
    #expect(deadlines.popDue(now: 9) == nil)
    var due: [Int] = []
    while let key = deadlines.popDue(now: 40) { due.append(key) }
    #expect(due == [1, 2, 3, 4])
    #expect(deadlines.count == 1)
  }

  @Test func `a deadline set anew is due at its last time only, a cancelled one never`() {
    var deadlines = Deadlines<Int>()
    for moment in 0..<1000 { deadlines.set(1, deadline: Int64(moment)) }
    deadlines.set(2, deadline: 5)
    deadlines.cancel(2)
    #expect(deadlines.popDue(now: 998) == nil)
    #expect(deadlines.popDue(now: 999) == 1)
    #expect(deadlines.popDue(now: .max) == nil)
  }
}
