import Timeshift

/// Decides about upstreams that deliver their audio slower than it plays, and notices those that are faster.
struct SlowUpstreams {
  enum Judgement: Equatable {
    case goesOn
    /// Another upstream is tried.
    case leave(rate: Double)
    /// No upstream is better: this one plays on, since a new connection would only be one more interruption.
    case tell(rate: Double)
  }

  private var delivery = DeliveryWatch()
  private var haste = HasteWatch()
  private var policy = SlowUpstreamPolicy()
  /// When this connection's slowness was last reported.
  private var toldAt: MonotonicTime?
  /// When an upstream was left.
  private var leftAt: MonotonicTime?

  /// Begins another connection.
  mutating func begin() {
    delivery.restart()
    haste = HasteWatch()
    toldAt = nil
  }

  /// Returns the rate of an upstream that is too fast, once a connection.
  ///
  /// - Parameter isBraked: whether the relay has stopped the transfer, which was too far ahead.
  mutating func tooFast(seconds: Double, isBraked: Bool, at now: MonotonicTime) -> Double? {
    haste.look(seconds: seconds, isBraked: isBraked, at: now)
  }

  /// Notes that the relay has paused the transfer.
  mutating func paused() { delivery.restart() }

  /// Judges the `seconds` of audio that the connection has brought. `others`: how many upstreams may be tried instead.
  mutating func look(seconds: Double, others: Int, at now: MonotonicTime) -> Judgement {
    guard let rate = delivery.look(seconds: seconds, at: now) else { return .goesOn }
    if policy.leaves(others: others, at: now) {
      leftAt = now
      return .leave(rate: rate)
    }
    if let toldAt, now.seconds(since: toldAt) < SlowUpstreamPolicy.wait { return .goesOn }
    toldAt = now
    return .tell(rate: rate)
  }

  /// Whether an upstream was left at most `seconds` ago.
  func hasLeft(within seconds: Double, at now: MonotonicTime) -> Bool {
    leftAt.map { now.seconds(since: $0) < seconds } ?? false
  }

  /// Adopts the state of another worker of the same station.
  mutating func recall(_ previous: SlowUpstreams) {
    (policy, leftAt) = (previous.policy, previous.leftAt)
  }
}

/// Decides whether an upstream is left because it is too slow.
///
/// Each of the others may be tried once. After that a slow upstream is better than connections that come and go: there
/// is a wait, which grows.
struct SlowUpstreamPolicy {
  static let wait = 300.0
  static let waitMax = 3600.0

  private var left = 0
  private var wait = Self.wait
  private var leftAt: MonotonicTime?

  /// Whether the upstream is left. `others`: how many may be tried instead.
  mutating func leaves(others: Int, at now: MonotonicTime) -> Bool {
    guard others > 0 else { return false }
    if let leftAt {
      let passed = now.seconds(since: leftAt)
      if left >= others, passed < wait { return false }
      if left >= others || passed > Self.waitMax {
        wait = passed > Self.waitMax ? Self.wait : min(Self.waitMax, wait * 2)
        left = 0
      }
    }
    left += 1
    leftAt = now
    return true
  }
}
