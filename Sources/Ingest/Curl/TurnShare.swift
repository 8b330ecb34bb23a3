import Timeshift

/// What one transfer may take in one turn of the loop, so that the others get theirs: bytes, and the time that its
/// owner needs for them.
struct TurnShare {
  /// Four of libcurl's pieces. At 1,000 turns a second that is 500 Mbit/s.
  static let bytesMax = 64 * 1024
  /// Of the owner's work. A piece begun is read to its end: there may be hundreds of titles in it.
  static let secondsMax = 0.004

  private var turn: Int64?
  private var bytes = 0
  private var beganAt = MonotonicTime(nanoseconds: 0)

  /// Whether there is something left of the share; each turn has another number.
  mutating func hasLeft(in turn: Int64, at now: MonotonicTime = .now()) -> Bool {
    if turn != self.turn { (self.turn, bytes, beganAt) = (turn, 0, now) }
    return bytes < Self.bytesMax && (bytes == 0 || now.seconds(since: beganAt) < Self.secondsMax)
  }

  mutating func took(_ count: Int) {
    bytes += count
  }
}
