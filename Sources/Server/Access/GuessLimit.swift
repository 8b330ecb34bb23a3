import Reactor
import Synchronization
import Timeshift

/// Keeps secrets from being guessed over the network: of an address that has been wrong so often nothing is looked at,
/// right or wrong, until it has been quiet for ten seconds or its minute is over.
///
/// The connection that has shown the right one is never refused, and an address that has done so lately may be wrong
/// more often, where that is wanted: others may stand behind it. Who has many addresses of IPv6 is one: by /64, and, where many of them
/// in one /48 are wrong, by that.
public final class GuessLimit: Sendable {
  /// In a minute that begins with the first. At this pace eight random letters take some 10,000 years.
  public static let wrongMax = 20
  /// The same for tokens of sessions: a page may well ask for one every second before its player has connected.
  public static let tokensMax = 600
  static let nanoseconds: Int64 = 60_000_000_000
  static let quietNanoseconds: Int64 = 10_000_000_000
  /// How long somebody who has been right is known, nanoseconds.
  private static let knownNanoseconds: Int64 = 3_600_000_000_000
  /// Remembered at once: of the wrong, and of the right. Some 100 bytes each.
  static let addressesMax = 10_000
  private static let knownMax = 2000
  /// /64s of one /48 that are wrong before the /48 is one.
  static let siteMax = 16

  private struct State {
    var wrong = WrongAddresses(max: GuessLimit.addressesMax)
    var knownAddresses = RecentSet<AddressBlock>(max: GuessLimit.knownMax)
    var knownConnections = RecentSet<SocketAddress>(max: GuessLimit.knownMax)
  }

  private let state = Mutex(State())
  private let wrongCount = Atomic<UInt64>(0)
  private let wrongMax: Int
  /// How many times as often as a stranger an address may be wrong that has been right.
  private let knownFactor: Int
  private let now: @Sendable () -> Int64
  /// Told of an address that is not looked at any more, and how often it was wrong.
  private let whenSpent: @Sendable (APIRequest.Origin, Int) -> Void

  public init(
    wrongMax: Int = GuessLimit.wrongMax, knownFactor: Int = 1,
    now: @escaping @Sendable () -> Int64 = { MonotonicTime.now().nanoseconds },
    whenSpent: @escaping @Sendable (APIRequest.Origin, Int) -> Void = { _, _ in }
  ) {
    self.wrongMax = wrongMax
    self.knownFactor = knownFactor
    self.now = now
    self.whenSpent = whenSpent
  }

  /// Since the start.
  public var wrongPasswords: UInt64 { wrongCount.load(ordering: .relaxed) }

  /// How many are remembered.
  var addresses: Int { state.withLock { $0.wrong.count } }

  /// Whether its secrets are not looked at now. Ask only for who has sent one: it counts as a try. The administration's
  /// own socket never is.
  public func isSpent(_ origin: APIRequest.Origin) -> Bool {
    guard let block = AddressBlock(origin) else { return false }
    let now = now()
    return state.withLock { state in
      guard state.wrong.has(block, at: now) else { return false }
      let since = now - Self.knownNanoseconds
      if let peer = origin.connection, state.knownConnections.contains(peer, since: since) {
        return false
      }
      let isKnown = state.knownAddresses.contains(block, since: since)
      let max = isKnown ? wrongMax * knownFactor : wrongMax
      return state.wrong.isSpent(block, max: max, at: now)
    }
  }

  /// It has been wrong.
  public func wrong(_ origin: APIRequest.Origin) {
    guard let block = AddressBlock(origin) else { return }
    wrongCount.add(1, ordering: .relaxed)
    let now = now()
    let count = state.withLock { state in
      if let peer = origin.connection { state.knownConnections.remove(peer) }
      return state.wrong.add(block, at: now)
    }
    if count == wrongMax { whenSpent(origin, count) }
  }

  /// It has been right, which whoever knows a secret may be as often as they like.
  public func right(_ origin: APIRequest.Origin) {
    guard let block = AddressBlock(origin) else { return }
    let now = now()
    state.withLock { state in
      state.knownAddresses.insert(block, at: now)
      if let peer = origin.connection { state.knownConnections.insert(peer, at: now) }
    }
  }
}

extension APIRequest.Origin {
  /// The one connection it is; nil where a proxy speaks for somebody, whose port nobody tells.
  fileprivate var connection: SocketAddress? {
    address.flatMap { $0.port ?? 0 > 0 ? $0 : nil }
  }
}
