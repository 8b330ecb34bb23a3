import Timeshift

/// Finds by positions where an upstream that is a relay goes on. The upstream names the place of its first packet in
/// its log, and this log knows how far it has come there.
///
/// Positions are believed as far as packets confirm them: the packets that the log has must be equal where they should
/// be. A relay that made its listener skip, or hear its fallback, counts other bytes than those that came.
struct RelayJoint {
  enum Verdict: Hashable {
    /// All that has arrived is in the log, and has not come to its end.
    case hold
    /// The first `drop` packets are in the log; those behind go on from it.
    case joined(drop: Int)
    /// The upstream begins behind the log's end: the audio between is missing.
    case ahead
    /// The first `drop` packets are in the log. Behind them the upstream has other audio than the log, whose last
    /// `surplus` seconds it has lost.
    case parted(drop: Int, surplus: Double)
    /// The positions mean something else, or what is known comes no faster than it plays.
    case useless
  }

  /// Seconds for which audio that is in the log may come at the pace of playing.
  private static let holdMax = 5.0
  /// The seconds of known audio that are waited for at any pace: an upstream that was killed has lost as much.
  private static let restMax = 2.0
  /// The longest burst, in seconds.
  private static let knownMax = 75.0

  private(set) var verdict = Verdict.hold
  /// The position of the next packet to arrive.
  private(set) var next: UInt64
  private let end: UInt64
  private let known: [UInt64: TailRing.Entry]
  private let oldest: UInt64
  private var arrived = 0
  private var confirmed = 0
  private var burst = Burst()

  /// - Parameters:
  ///   - tail: the log's newest packets, as far as they stand without a seam in the upstream's log.
  ///   - end: the position there at which they end.
  ///   - first: the position of the first packet to arrive.
  init(tail: some BidirectionalCollection<TailRing.Entry>, end: UInt64, first: UInt64) {
    var start = end
    var known: [UInt64: TailRing.Entry] = [:]
    for entry in tail.reversed() where UInt64(entry.bytes) <= start {
      start -= UInt64(entry.bytes)
      known[start] = entry
    }
    (self.known, oldest, self.end, next) = (known, start, end, first)
  }

  /// Notes an arrived packet.
  mutating func arrive(_ hash: UInt32, _ bytes: Int, seconds: Double, at now: MonotonicTime) {
    guard verdict == .hold else { return }
    burst.arrive(seconds: seconds, at: now)
    verdict = judge(hash, bytes, at: now)
    guard verdict == .hold else { return }
    arrived += 1
    next += UInt64(bytes)
  }

  private mutating func judge(_ hash: UInt32, _ bytes: Int, at now: MonotonicTime) -> Verdict {
    if next == end {
      return arrived == 0 || confirmed > 0 || known.isEmpty ? .joined(drop: arrived) : .useless
    }
    if next > end { return arrived == 0 ? .ahead : .useless }
    if let entry = known[next] {
      guard entry.hash == hash, entry.bytes == bytes else {
        return confirmed > 0 ? .parted(drop: arrived, surplus: surplus) : .useless
      }
      confirmed += 1
    } else if next >= oldest {
      return .useless
    }
    return burst.arrived > Self.knownMax || isSlow(at: now) ? .useless : .hold
  }

  private var surplus: Double {
    known.reduce(0) { $0 + ($1.key >= next ? $1.value.seconds : 0) }
  }

  /// Whether known audio comes no faster than it plays, and much of it is still to come.
  private func isSlow(at now: MonotonicTime) -> Bool {
    guard let began = burst.began, now.seconds(since: began) > Self.holdMax,
      !burst.isGrowing(at: now)
    else { return false }
    return surplus > Self.restMax
  }
}
