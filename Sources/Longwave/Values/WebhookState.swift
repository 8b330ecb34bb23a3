import Timeshift
import Wire

/// What has become of the events for one web service.
public struct WebhookState: Hashable, Sendable {
  public enum State: String, Sendable, CaseIterable {
    /// Nothing is to be sent.
    case idle
    case delivering
    /// The service did not take an event, which is sent again.
    case retrying
    /// The service answered 410: it wants nothing more.
    case stopped
  }

  /// Place in the configuration, from 1.
  public var number: Int
  /// Without passwords and secret parameters.
  public var url: String
  public var kinds: [String]
  public var stations: [String]
  public var state = State.idle
  /// Events that wait.
  public var queued = 0
  public var delivered: UInt64 = 0
  /// Attempts that failed.
  public var failed: UInt64 = 0
  /// Events that are not told, since too many waited.
  public var lost: UInt64 = 0
  public var lastDelivery: WallTime?
  public var lastError: String?
  public var nextAttempt: WallTime?

  package var json: JSON {
    [
      "number": JSON(number), "url": .string(url), "kinds": .array(kinds.map(JSON.string)),
      "stations": .array(stations.map(JSON.string)), "state": .string(state.rawValue),
      "queued": JSON(queued), "delivered": JSON(delivered), "failed": JSON(failed),
      "lost": JSON(lost), "lastDelivery": JSON(lastDelivery), "lastError": JSON(lastError),
      "nextAttempt": JSON(nextAttempt),
    ]
  }
}
