import Synchronization
import Testing
import Timeshift

@testable import Longwave

/// Codes of links that lead to the dashboard.
@Suite struct DashboardCodeTests {
  private final class Clock: Sendable {
    private let time = Mutex(MonotonicTime(nanoseconds: 0))
    var now: MonotonicTime { time.withLock(\.self) }
    func pass(_ seconds: Double) { time.withLock { $0 = $0.adding(seconds) } }
  }

  private static func codes(_ clock: Clock) -> DashboardCodes { DashboardCodes { clock.now } }

  @Test func `a code is good once`() {
    let codes = Self.codes(Clock())
    let code = codes.make(for: "token")
    #expect(code.utf8.count == 32 && code.allSatisfy(\.isHexDigit))
    #expect(!codes.redeem("", for: "token") && !codes.redeem(code + "0", for: "token"))
    #expect(codes.redeem(code, for: "token") && !codes.redeem(code, for: "token"))
  }

  @Test func `a code is good for a minute`() {
    let clock = Clock()
    let codes = Self.codes(clock)
    let (first, second) = (codes.make(for: "token"), codes.make(for: "token"))
    #expect(first != second)
    clock.pass(59)
    #expect(codes.redeem(first, for: "token"))
    clock.pass(1)
    #expect(!codes.redeem(second, for: "token"))
  }

  @Test func `a code stands for the token it was made for, and no later one`() {
    let codes = Self.codes(Clock())
    #expect(!codes.redeem(codes.make(for: "token"), for: "another"))
  }

  @Test func `the newest of many dashboard codes are good`() {
    let codes = Self.codes(Clock())
    let made = (0..<20).map { _ in codes.make(for: "token") }
    #expect(made.map { codes.redeem($0, for: "token") } == (0..<20).map { $0 >= 4 })
  }
}
