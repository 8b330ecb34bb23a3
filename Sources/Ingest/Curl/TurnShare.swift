import Timeshift

/// The share of one transfer in one turn of the loop, so that other transfers get theirs: bytes, and its owner's time
/// for them.
struct TurnShare {
  /// The most bytes in a turn: four of libcurl's pieces. At 1,000 turns a second that is 500 Mbit/s.
  static let bytesMax = 64 * 1024
  /// The most seconds of the owner's work in a turn. A piece once begun is read to its end, even with hundreds of
  /// titles in it.
  static let secondsMax = 0.004

  private var turn: Int64?
  private var bytes = 0
  private var beganAt = MonotonicTime(nanoseconds: 0)

  /// Whether part of the share is left; each turn has another number.
  mutating func hasLeft(in turn: Int64, at now: MonotonicTime = .now()) -> Bool {
    if turn != self.turn { (self.turn, bytes, beganAt) = (turn, 0, now) }
    return bytes < Self.bytesMax && (bytes == 0 || now.seconds(since: beganAt) < Self.secondsMax)
  }

  mutating func took(_ count: Int) {
    bytes += count
  }
}
