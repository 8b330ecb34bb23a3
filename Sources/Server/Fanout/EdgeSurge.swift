import Timeshift
import Wire

/// How much of a station's newest audio came faster than it plays. An upstream sent that audio again after an outage,
/// or it waited in the kernel while the relay stood still.
///
/// No listener's connection is to blame for being behind by that much.
struct EdgeSurge {
  /// Seconds by which the surge shrinks in each second. A connection that takes 1.5 times what plays is level when the
  /// surge is over.
  private static let decay = 0.5
  /// No surge is longer; a longer jump of the edge is a hole.
  private static let secondsMax = 300.0

  /// Seconds that a live listener is behind because audio came faster than any listener could take it.
  private(set) var seconds = 0.0
  private var edge: MediaTime
  /// Time of the edge, monotonic nanoseconds.
  private var at: Int64

  init(edge: MediaTime, at now: Int64) { (self.edge, at) = (edge, now) }

  mutating func follow(_ edge: MediaTime, at now: Int64) {
    let came = (edge - self.edge).seconds
    let passed = Double(max(0, now.saturatingSubtract(at))) / 1e9
    seconds = min(Self.secondsMax, max(0, seconds + came - passed * (1 + Self.decay)))
    (self.edge, at) = (edge, now)
  }

  /// Leaves out a standstill of the loop: what came meanwhile comes at once.
  mutating func bear(_ nanoseconds: Int64) { at = at.saturatingAdd(nanoseconds) }
}
