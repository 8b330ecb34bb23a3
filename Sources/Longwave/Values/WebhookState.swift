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
  /// Since when it takes no events; nil while it takes them.
  public var failingSince: WallTime?
  public var nextAttempt: WallTime?

  package var json: JSON {
    [
      "number": JSON(number), "url": .string(url), "kinds": .array(kinds.map(JSON.string)),
      "stations": .array(stations.map(JSON.string)), "state": .string(state.rawValue),
      "queued": JSON(queued), "delivered": JSON(delivered), "failed": JSON(failed),
      "lost": JSON(lost), "lastDelivery": JSON(lastDelivery), "lastError": JSON(lastError),
      "failingSince": JSON(failingSince), "nextAttempt": JSON(nextAttempt),
    ]
  }

  /// The shape of `json`.
  package static let schema = Schema.object([
    ("number", Schema.count), ("url", Schema.text), ("kinds", Schema.list(Schema.text)),
    ("stations", Schema.list(Schema.text)), ("state", Schema.words(State.allCases.map(\.rawValue))),
    ("queued", Schema.count), ("delivered", Schema.count), ("failed", Schema.count),
    ("lost", Schema.count), ("lastDelivery", Schema.known(Schema.time)),
    ("lastError", Schema.known(Schema.text)), ("failingSince", Schema.known(Schema.time)),
    ("nextAttempt", Schema.known(Schema.time)),
  ])
}
