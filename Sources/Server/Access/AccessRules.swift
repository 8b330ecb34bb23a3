import Reactor
import Wire

/// Who may listen, by address and by what the player calls itself: the server's rules, or a station's.
public struct AccessRules: Hashable, Sendable {
  /// Only these; empty: everybody.
  public var allow: [AddressRange] = []
  /// Not these, before `allow` is looked at.
  public var deny: [AddressRange] = []
  /// Nor those whose User-Agent is like one of these.
  public var denyAgents: [Glob] = []

  public init() {}

  /// Why somebody may not come.
  enum Refusal {
    case address
    case agent
  }

  /// nil: come in. The administration's own socket always may.
  func refusal(of origin: APIRequest.Origin, agent: String?) -> Refusal? {
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
