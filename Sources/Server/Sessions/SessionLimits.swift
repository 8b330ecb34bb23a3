/// Relation of a session to an address that names it.
public enum SessionFamiliarity: Hashable, Sendable {
  /// There is no such session.
  case unknown
  /// There is such a session, and it has not been shown from that address.
  case others
  /// The session was shown from there lately, by a listener or to steer it. Guesses of others there do not count
  /// against it.
  case own
}

/// How many sessions there may be, and for how long they are kept.
public struct SessionLimits: Hashable, Sendable {
  public var sessionsMax = 10_000
  /// Seconds that a session is kept without a connection; 0 for ever.
  public var timeout = 86_400.0
  /// Seconds. Sessions used for less time are evicted first among those of an address. Their listeners have hardly a
  /// place to lose, and a client that invents tokens does not stay.
  public var brief = 10.0

  public init() {}
}
