import Timeshift

/// Notices an upstream that delivers its audio slower than it plays.
///
/// Looks once a second. The upstream is behind until it has made up what it is short of nine tenths of real time. Some
/// deliver 10 s at a time, and some pause and go on, so a recent stretch that was fast enough counts in its favour.
struct DeliveryWatch {
  /// Seconds between two looks.
  static let interval = 1.0
  /// The least rate, as a share of real time. Clocks are off by a hundredth at most, and listeners' buffers last for
  /// minutes at this rate.
  static let rateMin = 0.9
  /// The seconds for which the upstream must have been behind.
  static let span = 20.0
  /// A fast stretch of `stretchMin` seconds puts the verdict off, one of `goodStretchMin` clears the debt. Either may
  /// hold as many pauses as deliveries.
  private static let stretchMin = 5.0
  private static let goodStretchMin = 10.0
  private static let stretchMax = 25.5
  // After a longer time without a look, the machine stood still, and not the upstream.
  private static let lookMax = 3.0

  private var looks: [(at: MonotonicTime, seconds: Double)] = []
  /// The seconds of audio that are missing, and since when.
  private var short = 0.0
  private var behindSince = MonotonicTime(nanoseconds: 0)

  /// Begins anew, as after a pause of the relay.
  mutating func restart() { looks.removeAll(keepingCapacity: true) }

  /// Looks at the `seconds` of audio that the connection has brought so far. Returns the rate if it is too low.
  mutating func look(seconds: Double, at now: MonotonicTime) -> Double? {
    if let last = looks.last, now.seconds(since: last.at) > Self.lookMax { restart() }
    guard let last = looks.last else { return begin(seconds, at: now) }
    looks.append((now, seconds))
    looks.removeAll { now.seconds(since: $0.at) > Self.stretchMax }
    short += Self.rateMin * now.seconds(since: last.at) - (seconds - last.seconds)
    if short <= 0 || isFast(Self.goodStretchMin) { (short, behindSince) = (0, now) }
    guard now.seconds(since: behindSince) >= Self.span, !isFast(Self.stretchMin) else { return nil }
    return rate(since: looks[0])
  }

  private mutating func begin(_ seconds: Double, at now: MonotonicTime) -> Double? {
    looks = [(now, seconds)]
    (short, behindSince) = (0, now)
    return nil
  }

  private func isFast(_ stretch: Double) -> Bool {
    let now = looks[looks.count - 1].at
    return looks.contains {
      now.seconds(since: $0.at) >= stretch && rate(since: $0) >= Self.rateMin
    }
  }

  private func rate(since look: (at: MonotonicTime, seconds: Double)) -> Double {
    let last = looks[looks.count - 1]
    return (last.seconds - look.seconds) / last.at.seconds(since: look.at)
  }
}
