import Timeshift

/// The end of an upstream that said goodbye. It counts as long as the station's log ends where it ended then.
struct Goodbye: Sendable {
  var edge: UInt64
  var at: MonotonicTime
  /// Whether no other upstream is tried.
  var isLast: Bool

  /// Seconds in which a pulled upstream may be back before any listener leaves. Many close their connections now and
  /// then, and send the missing audio when asked again. Players have more than that in hand.
  private static let grace = 1.0

  func isDue(edge: UInt64, at now: MonotonicTime) -> Bool {
    self.edge == edge && (isLast || now.seconds(since: at) >= Self.grace)
  }
}
