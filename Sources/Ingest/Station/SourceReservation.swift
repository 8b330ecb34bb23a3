import Timeshift

/// A station's place for a source that is about to come: it is asked for before the source's connection is taken over.
struct SourceReservation {
  /// How long the place is kept, in seconds.
  private static let length = 5.0
  private var until = MonotonicTime(nanoseconds: 0)

  /// Reserves the place. False while it is reserved.
  mutating func reserve(at now: MonotonicTime) -> Bool {
    guard until < now else { return false }
    until = now.adding(Self.length)
    return true
  }

  /// The source has come.
  mutating func giveBack() { until = MonotonicTime(nanoseconds: 0) }
}
