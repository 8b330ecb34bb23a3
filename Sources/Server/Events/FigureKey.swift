import Wire

/// A place in a station's past of which figures are wanted in place of the live edge's.
public enum FigureMoment: Hashable, Sendable {
  /// Milliseconds behind live.
  case behind(Int64)
  case session(SessionToken)
}

/// What figures are of.
public struct FigureKey: Hashable, Sendable {
  public var kind: String
  /// Nil for the server, or among wishes for any station.
  public var station: String?
  /// Nil for the live edge.
  public var moment: FigureMoment?

  public init(_ kind: String, station: String? = nil, moment: FigureMoment? = nil) {
    (self.kind, self.station, self.moment) = (kind, station, moment)
  }
}
