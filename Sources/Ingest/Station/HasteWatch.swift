import Timeshift

/// Notices a live upstream that delivers its audio faster than it plays: a loop of relays goes round so.
///
/// Looks once a second. The measure is how far the audio is ahead of real time. A burst at the beginning may be ahead;
/// audio that makes up for a pause comes no further ahead than before.
struct HasteWatch {
  /// The rate from which on an upstream is too fast. No clock is off by a tenth.
  static let rateMax = 1.1
  /// The rate that each quarter of that time has at least.
  private static let steadyRateMin = 1.05
  /// The seconds for which it must have been too fast.
  static let span = 20.0
  /// The longest burst, in seconds.
  private static let burstMax = 75.0
  /// After a longer time without a look, the machine stood still.
  private static let lookMax = 3.0

  private var began: (at: MonotonicTime, seconds: Double)?
  /// The looks behind the burst, with the greatest lead up to then.
  private var looks: [(at: MonotonicTime, seconds: Double, lead: Double)] = []
  private var last: (at: MonotonicTime, seconds: Double)?
  private var isOver = false

  /// Looks at the `seconds` of audio that the connection has brought so far. Returns the rate if it is too high, once.
  ///
  /// - Parameter isBraked: whether the relay holds the transfer back, since it is too far ahead.
  mutating func look(seconds: Double, isBraked: Bool, at now: MonotonicTime) -> Double? {
    if isOver { return nil }
    guard let began, let last, now.seconds(since: last.at) <= Self.lookMax else {
      (began, looks) = ((now, seconds), [])
      last = (now, seconds)
      return nil
    }
    let (passed, gained) = (now.seconds(since: last.at), seconds - last.seconds)
    self.last = (now, seconds)
    let ahead = seconds - now.seconds(since: began.at)
    if isBraked, ahead > Self.burstMax {
      return tell((seconds - began.seconds) / max(1, now.seconds(since: began.at)))
    }
    // The burst is over with the first second that is no faster than playing.
    if looks.isEmpty, gained > Self.rateMax * passed, ahead <= Self.burstMax { return nil }
    looks.append((now, seconds, max(ahead, looks.last?.lead ?? ahead)))
    guard let first = looks.first, now.seconds(since: first.at) >= Self.span else { return nil }
    let kept = looks.lastIndex { now.seconds(since: $0.at) >= Self.span } ?? 0
    looks.removeFirst(kept)
    let start = looks[0]
    guard ahead - start.lead > (Self.rateMax - 1) * now.seconds(since: start.at), isSteady(now)
    else { return nil }
    return tell((seconds - start.seconds) / now.seconds(since: start.at))
  }

  /// Whether each quarter of the span was too fast: a fallback that comes and goes has two bursts.
  private func isSteady(_ now: MonotonicTime) -> Bool {
    let quarter = Self.span / 4
    var (end, seconds) = (now, last?.seconds ?? 0)
    for look in looks.reversed() where end.seconds(since: look.at) >= quarter {
      let (passed, gained) = (end.seconds(since: look.at), seconds - look.seconds)
      guard gained > Self.steadyRateMin * passed else { return false }
      (end, seconds) = (look.at, look.seconds)
    }
    return true
  }

  private mutating func tell(_ rate: Double) -> Double? {
    isOver = true
    return (rate * 100).rounded() / 100
  }
}
