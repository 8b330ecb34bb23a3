import Reactor

/// Who may listen, by address: the server's rules, or a station's.
public struct AccessRules: Hashable, Sendable {
  /// Only these; empty: everybody.
  public var allow: [AddressRange] = []
  /// Not these, before `allow` is looked at.
  public var deny: [AddressRange] = []

  public init() {}

  func admits(_ address: SocketAddress) -> Bool {
    if deny.contains(where: { $0.contains(address) }) { return false }
    return allow.isEmpty || allow.contains { $0.contains(address) }
  }
}
