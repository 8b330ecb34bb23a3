import Timeshift

/// Budget of a step of the pool, whatever comes of it: others wait for the thread.
struct StepBudget {
  static let packets = 64
  static let seconds = 0.02

  private var left = Self.packets
  private let end = MonotonicTime.now().adding(Self.seconds)

  /// Spends one packet; false where the step is to end.
  mutating func spendPacket() -> Bool {
    guard left > 0, MonotonicTime.now() < end else { return false }
    left -= 1
    return true
  }

  /// Whether the step is to end.
  var isSpent: Bool { left == 0 || MonotonicTime.now() >= end }
}
