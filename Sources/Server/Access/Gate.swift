import Reactor
import Synchronization
import Timeshift

/// Addresses that get nothing any more, for a time or for good.
public struct Ban: Hashable, Sendable {
  public var range: AddressRange
  /// End of the ban; nil for none.
  public var until: WallTime?

  public init(_ range: AddressRange, until: WallTime? = nil) {
    self.range = range
    self.until = until
  }

  public func holds(_ address: SocketAddress, at now: WallTime) -> Bool {
    range.contains(address) && until.map { now < $0 } ?? true
  }
}

/// Which clients may come in: the server's rules and the bans, which change while the server runs. Asked once a
/// request, never on the hot path.
final class Gate: Sendable {
  private struct State {
    var rules: AccessRules
    var bans: [Ban] = []
  }

  private let state: Mutex<State>
  /// Spares every request the lock while there is no ban.
  private let hasBans = Atomic<Bool>(false)

  init(_ rules: AccessRules) { state = Mutex(State(rules: rules)) }

  func set(_ rules: AccessRules) { state.withLock { $0.rules = rules } }

  func set(_ bans: [Ban]) {
    state.withLock { $0.bans = bans }
    hasBans.store(!bans.isEmpty, ordering: .relaxed)
  }

  var rules: AccessRules { state.withLock { $0.rules } }

  /// Whether a client is banned; the administration's own socket never is.
  func isBanned(_ origin: Peer) -> Bool {
    guard hasBans.load(ordering: .relaxed), case .tcp(let address) = origin else { return false }
    let bans = state.withLock { $0.bans }
    let now = Moment.now().wall
    return bans.contains { $0.holds(address, at: now) }
  }
}
