import Reactor
import Timeshift

/// A ban as it is kept.
public struct BanRecord: Hashable, Sendable {
  /// Never given twice.
  public var id: Int64
  public var range: AddressRange
  public var createdAt: WallTime
  /// nil: for good.
  public var until: WallTime?
  /// For people.
  public var reason: String?

  func hasEnded(at now: WallTime) -> Bool { until.map { $0 <= now } ?? false }
}
