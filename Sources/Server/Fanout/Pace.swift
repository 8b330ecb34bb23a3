// Hot: runs once per listener and turn.

import Timeshift

/// The delivery rule: what a listener is owed.
///
/// A live listener is owed everything up to the live edge, unpaced. A placed one has a play point that advances at 1×
/// and is owed up to play point + burst. One rule for both at once would hold a live listener back for ever after a
/// stitched outage, or not hold a placed one at all.
struct Pace {
  /// False: live.
  private(set) var isPlaced: Bool
  /// Where the listener is playing, for a placed one; for a live one where it joined.
  private(set) var playPoint: MediaTime
  /// When the play point stood there, monotonic nanoseconds.
  private var since: Int64
  /// How far delivery runs ahead of the play point.
  private(set) var burst: MediaTime

  static func live(from joined: MediaTime, burst: MediaTime, now: Int64) -> Pace {
    Pace(isPlaced: false, playPoint: joined, since: now, burst: burst)
  }

  static func placed(at playPoint: MediaTime, burst: MediaTime, now: Int64) -> Pace {
    Pace(isPlaced: true, playPoint: playPoint, since: now, burst: burst)
  }

  /// Lets the play point run to `now`.
  /// - Parameter rate: the station's own media seconds per monotonic second, so that nothing drifts over months.
  mutating func advance(to now: Int64, rate: Double) {
    playPoint = playPoint.advanced(nanoseconds: max(0, now - since), rate: rate)
    since = now
  }

  /// The play point waits with a stalled cursor, so that credit never exceeds the burst.
  mutating func wait(at cursor: MediaTime) {
    if cursor < playPoint { playPoint = cursor }
  }

  /// Up to where a placed listener is owed.
  var owed: MediaTime { playPoint + burst }

  /// A live listener that stalled for longer than its burst has a place of its own from now on.
  mutating func place(at cursor: MediaTime, now: Int64) {
    isPlaced = true
    playPoint = cursor
    since = now
  }

  /// A placed listener that has reached the edge is live.
  mutating func becomeLive() {
    isPlaced = false
  }

  /// After a jump the play point is where the jump landed.
  mutating func move(to point: MediaTime, now: Int64) {
    playPoint = point
    since = now
  }
}
