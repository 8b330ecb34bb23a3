import Threads

/// What a loop has done since it was started. The loop's own thread counts.
public struct LoopFigures: Sendable {
  public let name: String
  /// How long its turns took, from the end of one wait to the next wait.
  public var turns = DurationCounts()
  /// Slots of 25 ms by which its timers were late: it was busy, or the machine was.
  public var slotsLate: UInt64 = 0

  static let slotNanoseconds: Int64 = 25_000_000

  init(name: String) { self.name = name }

  /// - Parameter due: when the earliest timer was due; nil without one.
  mutating func turnBegins(at now: Int64, due: Int64?) {
    guard let due, now > due else { return }
    slotsLate &+= UInt64((now - due) / Self.slotNanoseconds)
  }
}
