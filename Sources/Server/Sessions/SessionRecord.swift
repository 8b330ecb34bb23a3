import Timeshift

/// A place in a station's log that is kept without a connection, and over restarts.
public struct SessionRecord: Hashable, Sendable {
  public enum Place: Hashable, Sendable {
    case live
    /// Position of the next packet, and when it was on air as far as that was known then; the air time tells a log that
    /// began anew. `log`: serial of the log; nil for an earlier process's.
    case packet(at: UInt64, air: WallTime, log: UInt64?)
  }

  public var station: String
  public var place: Place
  public var isPaused: Bool
  /// Time when a client was last connected.
  public var lastSeen: WallTime

  public init(station: String, place: Place, isPaused: Bool, lastSeen: WallTime) {
    self.station = station
    self.place = place
    self.isPaused = isPaused
    self.lastSeen = lastSeen
  }
}
