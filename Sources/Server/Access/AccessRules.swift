import Reactor
import Wire

/// Which clients may listen, by address and by what the player calls itself: the server's rules, or a station's.
public struct AccessRules: Hashable, Sendable {
  /// Only these addresses may listen; empty for all.
  public var allow: [AddressRange] = []
  /// These addresses may not listen; checked before `allow`.
  public var deny: [AddressRange] = []
  /// Players whose User-Agent is like one of these may not listen either.
  public var denyAgents: [Glob] = []

  public init() {}

  /// Why a client may not listen.
  enum Refusal {
    case address
    case agent
  }

  /// Returns why a client may not listen; nil when it may. The administration's own socket always may.
  func refusal(of origin: Peer, agent: String?) -> Refusal? {
    guard case .tcp(let address) = origin else { return nil }
    if !admits(address) { return .address }
    guard !denyAgents.isEmpty else { return nil }
    let agent = agent ?? ""
    return denyAgents.contains { $0.matches(agent) } ? .agent : nil
  }

  private func admits(_ address: SocketAddress) -> Bool {
    if deny.contains(where: { $0.contains(address) }) { return false }
    return allow.isEmpty || allow.contains { $0.contains(address) }
  }
}
