import Timeshift

/// What a listener's connection was sent, so that the clock of its player can be read as a place in the log.
///
/// A player's clock counts decoded audio from 0. So it is at `start.media + clock − before` in the log.
struct Run {
  /// Time when the connection began, or last jumped.
  var since: WallTime
  /// First packet that was sent then.
  var start: LogPoint
  /// Jumps since the connection began.
  var jumps = 0
  /// Audio that the connection was sent before `start`, or that is not in the log; nil when unknown.
  var before: MediaTime? = .zero
}
