// Hot: runs once per listener and turn.

import Timeshift

/// The delivery rule: what a listener is owed.
///
/// A live listener is owed everything up to the live edge, unpaced. A placed one has a play point that advances at 1×
/// and is owed up to play point + burst. One rule for both at once would hold a live listener back for ever after a
/// stitched outage, or not hold a placed one at all.
struct Pace {
  /// False for a live listener.
  private(set) var isPlaced: Bool
  /// Where a placed listener is playing; for a live one, where it joined.
  private(set) var playPoint: MediaTime
  /// Time of the play point, monotonic nanoseconds.
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

  /// Media time up to which a client has played that plays what it is sent, without a pause of its own.
  func played(at now: Int64, rate: Double) -> MediaTime {
    playPoint.advanced(nanoseconds: max(0, now - since), rate: rate)
  }

  /// Lets the play point wait with a stalled cursor, so that credit never exceeds the burst.
  mutating func wait(at cursor: MediaTime) {
    if cursor < playPoint { playPoint = cursor }
  }

  /// Media time up to which a placed listener is owed audio.
  var owed: MediaTime { playPoint + burst }

  /// Gives the listener a play point of its own, as a live one needs that stalled for longer than its burst.
  mutating func place(at cursor: MediaTime, now: Int64) {
    isPlaced = true
    playPoint = cursor
    since = now
  }

  /// Makes a placed listener live that has reached the edge.
  mutating func becomeLive() {
    isPlaced = false
  }

  /// Sets the play point to where a jump landed.
  mutating func move(to point: MediaTime, now: Int64) {
    playPoint = point
    since = now
  }
}
