import Timeshift
import Wire

/// How much of a station's newest audio came faster than it plays: what an upstream sent again after an outage, or what
/// waited in the kernel while the relay stood still.
///
/// For being behind by that no listener's connection is to blame.
struct EdgeSurge {
  /// Seconds by which it shrinks in each: a connection that takes half as much again as plays is level when it is over.
  private static let decay = 0.5
  /// No burst is longer; a longer jump of the edge is a hole.
  private static let secondsMax = 300.0

  /// Seconds that a live listener is behind by because they came faster than anybody could take them.
  private(set) var seconds = 0.0
  private var edge: MediaTime
  /// When the edge stood there, monotonic nanoseconds.
  private var at: Int64

  init(edge: MediaTime, at now: Int64) { (self.edge, at) = (edge, now) }

  mutating func follow(_ edge: MediaTime, at now: Int64) {
    let came = (edge - self.edge).seconds
    let passed = Double(max(0, now.saturatingSubtract(at))) / 1e9
    seconds = min(Self.secondsMax, max(0, seconds + came - passed * (1 + Self.decay)))
    (self.edge, at) = (edge, now)
  }

  /// The loop was not there for so many nanoseconds: what came meanwhile comes at once.
  mutating func bear(_ nanoseconds: Int64) { at = at.saturatingAdd(nanoseconds) }
}
