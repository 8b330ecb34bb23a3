import Reactor
import Timeshift

/// The addresses whose requests a ban refuses.
public enum BanTarget: Hashable, Sendable {
  case range(AddressRange)
  /// The address that the listener has now.
  case listener(UInt64)
}

/// A ban as it is stored.
public struct BanRecord: Hashable, Sendable {
  /// Number of the ban; no number is given twice.
  public var id: Int64
  public var range: AddressRange
  public var createdAt: WallTime
  /// End of the ban; nil for a ban without end.
  public var until: WallTime?
  /// Reason for people.
  public var reason: String?

  package init(
    id: Int64, range: AddressRange, createdAt: WallTime, until: WallTime?, reason: String?
  ) {
    (self.id, self.range, self.createdAt) = (id, range, createdAt)
    (self.until, self.reason) = (until, reason)
  }

  package func hasEnded(at now: WallTime) -> Bool { until.map { $0 <= now } ?? false }
}
