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
}

extension WebhookState: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("number", \.number), Shape("url", \.url), Shape("kinds", \.kinds),
    Shape("stations", \.stations), Shape("state", \.state), Shape("queued", \.queued),
    Shape("delivered", \.delivered), Shape("failed", \.failed), Shape("lost", \.lost),
    Shape("lastDelivery", \.lastDelivery), Shape("lastError", \.lastError),
    Shape("failingSince", \.failingSince), Shape("nextAttempt", \.nextAttempt),
  ]
}

extension WebhookState.State: Shaped {}
