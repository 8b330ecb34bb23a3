import Timeshift

/// How far a listener's socket falls short of its station's rate.
///
/// A client has nothing left to play once it can have played more than it was sent. One that from there on takes less
/// than the station's rate in three stretches of 5 s has a line that is too slow. One that takes nothing is paused, and
/// one stall lies in two stretches at most.
struct Shortfall {
  /// Whether it has been told that the line is too slow.
  private(set) var isTold = false
  private var since: Int64
  private var cursor: MediaTime
  /// Begin of the stretch that is counted, while the client has nothing left to play.
  private var stretch: (since: Int64, cursor: MediaTime)?
  /// Stretches in a row in which the line was too slow, and in which it kept up.
  private var (short, level) = (0, 0)

  private static let stretchSeconds = 5.0
  private static let stretches = 3
  /// What a socket takes in one piece may be a second of audio.
  private static let grain = 1.0
  /// A line that takes this part of the rate keeps up: what it takes is counted in pieces.
  private static let enough = 0.95

  /// - Parameters:
  ///   - cursor: media time up to which the socket has taken audio.
  ///   - now: monotonic nanoseconds.
  init(at cursor: MediaTime, now: Int64) { (self.cursor, since) = (cursor, now) }

  /// Counts what has been taken until now.
  ///
  /// - Parameters:
  ///   - burst: what a client can have ahead of its play point.
  ///   - rate: the station's media seconds per second.
  /// - Returns: For how many seconds the line has been too slow, when that is to be told.
  mutating func follow(
    to cursor: MediaTime, burst: MediaTime, rate: Double, now: Int64
  ) -> Double? {
    let played = Double(now - since) / 1e9 * rate
    let taken = (cursor - self.cursor).seconds
    let ahead = burst.seconds + Self.grain
    // A jump: what was counted is of another place.
    if taken < 0 || taken > played + ahead { restart(at: cursor, now: now) }
    guard let stretch else {
      if played - taken > ahead { self.stretch = (now, cursor) }
      return nil
    }
    let passed = Double(now - stretch.since) / 1e9 * rate
    guard passed >= Self.stretchSeconds else { return nil }
    let took = (cursor - stretch.cursor).seconds
    self.stretch = (now, cursor)
    if took >= Self.enough * passed {
      (short, level) = (0, level + 1)
    } else {
      (short, level) = (took > 0 ? short + 1 : 0, 0)
    }
    if level == Self.stretches {
      isTold = false
      restart(at: cursor, now: now)
    }
    guard short == Self.stretches, !isTold else { return nil }
    isTold = true
    return Double(now - since) / 1e9
  }

  private mutating func restart(at cursor: MediaTime, now: Int64) {
    (self.cursor, since, stretch, short, level) = (cursor, now, nil, 0, 0)
  }
}
