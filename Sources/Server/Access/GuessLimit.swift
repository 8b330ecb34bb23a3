import Reactor
import Synchronization
import Timeshift

/// Keeps secrets from being guessed over the network.
///
/// An address that was wrong too often is refused until ten seconds of silence, or its minute's end. Right guesses too.
///
/// The same wrong guess sent again counts once: its sender does not know better, and learns nothing. A connection that
/// has shown the right secret is never refused. Its address may be wrong `knownFactor` times as often, since others may
/// stand behind it.
///
/// IPv6: a /64 counts as one address. Its /48 may be wrong `siteFactor` times as often. Addresses in it that were right
/// lately are counted apart from the others.
public final class GuessLimit: Sendable {
  /// Monotonic nanoseconds.
  public typealias Clock = @Sendable () -> Int64
  /// The system's clock; tests have one of their own.
  public static let clock: Clock = { MonotonicTime.now().nanoseconds }
  /// Wrong guesses in a minute, which begins with the first. At this pace eight random letters take some 10,000 years.
  public static let wrongMax = 20
  /// Wrong tokens of sessions in a minute: a page may well ask for a session every second before its player has
  /// connected.
  public static let tokensMax = 600
  /// Listeners of one address that wait to get their session. Finding out tokens by waiting takes as many connections
  /// for ten seconds.
  static let earningMax = 64
  static let nanoseconds: Int64 = 60_000_000_000
  static let quietNanoseconds: Int64 = 10_000_000_000
  /// How long a client that was right is known, nanoseconds.
  private static let knownNanoseconds: Int64 = 3_600_000_000_000
  /// Addresses remembered at once: those that were wrong, and those that were right. Some 200 bytes each.
  static let addressesMax = 10_000
  private static let knownMax = 2000
  /// Factor by which a /48 may be wrong more often than one of its /64s: it may belong to one customer or to some
  /// hundred.
  static let siteFactor = 8

  struct State {
    fileprivate var wrong = WrongAddresses(max: GuessLimit.addressesMax)
    fileprivate var knownAddresses = RecentSet<AddressBlock>(max: GuessLimit.knownMax)
    fileprivate var knownConnections = RecentSet<SocketAddress>(max: GuessLimit.knownMax)
    var underWay = GuessesUnderWay()

    func isKnown(_ block: AddressBlock, at now: Int64) -> Bool {
      knownAddresses.contains(block, since: now - GuessLimit.knownNanoseconds)
    }

    fileprivate func isKnown(_ peer: SocketAddress, at now: Int64) -> Bool {
      knownConnections.contains(peer, since: now - GuessLimit.knownNanoseconds)
    }
  }

  let state = Mutex(State())
  private let wrongCount = Atomic<UInt64>(0)
  private let wrongMax: Int
  /// Factor by which an address that was right may be wrong more often than a stranger.
  private let knownFactor: Int
  let now: Clock
  /// Called with an address that is refused from now on, and how often it was wrong.
  private let whenSpent: @Sendable (Peer, Int) -> Void

  public init(
    wrongMax: Int = GuessLimit.wrongMax, knownFactor: Int = 1,
    now: @escaping Clock = GuessLimit.clock,
    whenSpent: @escaping @Sendable (Peer, Int) -> Void = { _, _ in }
  ) {
    self.wrongMax = wrongMax
    self.knownFactor = knownFactor
    self.now = now
    self.whenSpent = whenSpent
  }

  /// Wrong guesses since the start.
  public var wrongPasswords: UInt64 { wrongCount.load(ordering: .relaxed) }

  /// Number of tallies kept.
  var addresses: Int { state.withLock { $0.wrong.count } }

  private func most(isKnown: Bool) -> Int { isKnown ? wrongMax * knownFactor : wrongMax }

  /// Whether a client's secrets are not looked at now. Ask only for a client that has sent one: the question counts as
  /// a try. The administration's own socket is never refused.
  public func isSpent(_ origin: Peer) -> Bool {
    guard let block = AddressBlock(origin) else { return false }
    let now = now()
    return state.withLock { standing(of: block, origin, in: &$0, at: now) == .spent }
  }

  /// Standing of a client that has sent a secret.
  enum Standing: Equatable {
    /// The connection has shown the right secret.
    case known
    case spent
    /// The client may be wrong so often yet: its block, then the /48 behind that, in which addresses that were right
    /// lately are apart.
    case left([Int], isKnown: Bool)
  }

  func standing(
    of block: AddressBlock, _ origin: Peer, in state: inout State, at now: Int64
  ) -> Standing {
    if let peer = origin.connection, state.isKnown(peer, at: now) { return .known }
    let isKnown = state.isKnown(block, at: now)
    let max = most(isKnown: isKnown)
    if state.wrong.isSpent(block, isKnown: isKnown, max: max, at: now) { return .spent }
    let left = state.wrong.left(block, isKnown: isKnown, max: max, at: now)
    return .left(left, isKnown: isKnown)
  }

  /// Counts a wrong guess; `guess` says which, where the client may well send the same again.
  public func wrong(_ origin: Peer, _ guess: Guess? = nil) {
    guard let block = AddressBlock(origin) else { return }
    wrongCount.add(1, ordering: .relaxed)
    let now = now()
    let spent: Int? = state.withLock { state in
      if let peer = origin.connection { state.knownConnections.remove(peer) }
      let isKnown = state.isKnown(block, at: now)
      let max = most(isKnown: isKnown)
      return state.wrong.add(block, guess, isKnown: isKnown, max: max, at: now) ? max : nil
    }
    if let spent { whenSpent(origin, spent) }
  }

  /// Forgives a wrong guess that has turned out to be none.
  func forgive(_ origin: Peer) {
    guard let block = AddressBlock(origin) else { return }
    let now = now()
    state.withLock { $0.wrong.forgive(block, at: now) }
  }

  /// Notes that the client was right. A client that knows a secret may be right as often as it likes.
  public func right(_ origin: Peer) {
    guard let block = AddressBlock(origin) else { return }
    let now = now()
    state.withLock { state in
      state.knownAddresses.insert(block, at: now)
      if let peer = origin.connection { state.knownConnections.insert(peer, at: now) }
    }
  }
}

/// Digest of what a client took for a secret, enough to know it again: a hash that means nothing outside this process.
public struct Guess: Hashable, Sendable {
  let digest: UInt64

  /// - Parameter place: what the secret was to open, where that is one of several.
  public init(_ secret: some Hashable, for place: String = "") {
    var hasher = Hasher()
    hasher.combine(secret)
    hasher.combine(place)
    // 0 stands for none.
    digest = max(1, UInt64(bitPattern: Int64(hasher.finalize())))
  }
}

extension Peer {
  /// The one connection of the peer; nil where a proxy speaks for a client, whose port is not told.
  fileprivate var connection: SocketAddress? {
    address.flatMap { $0.port ?? 0 > 0 ? $0 : nil }
  }
}
