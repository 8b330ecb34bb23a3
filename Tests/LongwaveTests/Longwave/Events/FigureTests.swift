import Testing
import Timeshift

@testable import Longwave

/// Figures that are told each second.
@Suite struct FigureTests {
  private func rates(
    _ looks: [(received: UInt64, sent: UInt64, at: Double)]
  ) -> [StationRates.Rates] {
    var rates = StationRates()
    return looks.map { look in
      rates.rates(
        of: "jazz", .init(received: look.received, sent: look.sent),
        at: MonotonicTime(nanoseconds: 0).adding(look.at))
    }
  }

  @Test func `a bit rate is what came since the last look`() {
    let told = rates([(16_000, 0, 1), (32_000, 800_000, 2), (32_000, 800_000, 4)])
    #expect(
      told == [
        .init(), .init(received: 128, sent: 6400), .init(received: 0, sent: 0),
      ])
  }

  @Test func `a counter that begins anew has counted what it says`() {
    let told = rates([(1_000_000, 5, 1), (2000, 5, 2), (2000, 5, 2)])
    #expect(told == [.init(), .init(received: 16, sent: 0), .init()])
  }

  @Test func `stations do not share their counts`() {
    var rates = StationRates()
    let now = MonotonicTime(nanoseconds: 0)
    _ = rates.rates(of: "jazz", .init(received: 1, sent: 1), at: now)
    let other = rates.rates(of: "rock", .init(received: 9, sent: 9), at: now.adding(1))
    #expect(other == .init())
  }
}
