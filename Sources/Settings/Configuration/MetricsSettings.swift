import Reactor
import Server

/// `metrics:`, who may read the figures for supervisors.
public struct MetricsSettings: Hashable, Sendable {
  /// Addresses that may read them without the admin token; nil for all.
  public var allow: [AddressRange]?

  public init() {}

  /// Whether a client may read the metrics as it is, without the token.
  package func allows(_ origin: Peer) -> Bool {
    guard let allow, case .tcp(let address) = origin else { return true }
    return allow.contains { $0.contains(address) }
  }
}
