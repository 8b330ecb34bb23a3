import Wire

/// Which events a client gets, and whether with what concerns single listeners.
public struct EventFilter: Hashable, Sendable {
  /// Station whose events pass; nil for all, or with a session for none but the session's own.
  public var station: String?
  /// Kinds of events that pass; nil for all.
  public var kinds: Set<String>?
  /// Whether events come with addresses, players and sessions.
  public var isIdentified: Bool
  /// Session whose own events the client gets besides; nil for none.
  public var session: SessionToken?
  /// Place of which figures of sound are told; nil for the live edge.
  public var moment: FigureMoment?
  /// Most figures of a kind of sound in a second, 1 to 30; nil for as many as are made.
  public var rate: Double?

  public init(
    station: String? = nil, kinds: Set<String>? = nil, isIdentified: Bool = false,
    session: SessionToken? = nil, moment: FigureMoment? = nil, rate: Double? = nil
  ) {
    self.station = station
    self.kinds = kinds
    self.isIdentified = isIdentified
    self.session = session
    self.moment = moment
    self.rate = rate
  }

  /// Nanoseconds between two figures of sound.
  var figureInterval: Int64 { rate.map { Int64(nanosecondsIn: 1 / $0) } ?? 0 }

  /// Whether any of the ring's events pass.
  var isOfRing: Bool { session == nil || station != nil }

  /// Whether the client is told of stations that no list for everybody has.
  var tellsUnlisted: Bool { isIdentified || station != nil }

  func wants(_ kind: String) -> Bool { kinds?.contains(kind) ?? true }
}
