import Timeshift
import Wire

/// Numbers the steps of figures by the clock since the machine's start, which goes on while the machine sleeps and never
/// jumps. The steps begin where the wall clock has whole ones, as it stood when the counting began.
struct FigureClock {
  private let start: Moment

  init(_ start: Moment) { self.start = start }

  private static let step = Double(FigureSeries.Step.tenSeconds.rawValue)

  /// Seconds since 1970, had the wall clock not been set since.
  private func reading(at now: Moment) -> Double {
    start.wall.seconds + now.sinceBoot.seconds(since: start.sinceBoot)
  }

  /// Returns the number of the step of ten seconds that ended nearest to `now`.
  func step(at now: Moment) -> Int64 {
    Int64(bounded: (reading(at: now) / Self.step).rounded(), in: Self.numbers) - 1
  }

  /// Returns the number of the step of `length` to which that step of ten seconds belongs.
  func step(at now: Moment, of length: FigureSeries.Step) -> Int64 {
    switch length {
    case .tenSeconds: step(at: now)
    case .minute: step(at: now) / FigureHistory.tensInMinute
    }
  }

  /// Ten thousand years of steps, either way.
  private static let numbers: ClosedRange<Int64> = -31_557_600_000...31_557_600_000

  /// Returns when the wall clock showed the beginning of a step of `length`, or would have.
  func begin(of number: Int64, _ length: FigureSeries.Step, at now: Moment) -> WallTime {
    let seconds = Double(length.rawValue)
    let ago = reading(at: now) - Double(number) * seconds
    let steps = Int64(bounded: ((now.wall.seconds - ago) / seconds).rounded(), in: Self.numbers)
    return WallTime(unixSeconds: max(0, steps) * Int64(length.rawValue))
  }

  /// Returns the seconds until the step of `now` has ended.
  func rest(at now: Moment) -> Double {
    let into = reading(at: now).truncatingRemainder(dividingBy: Self.step)
    return min(max(Self.step - into, 0.1), Self.step)
  }
}
