import Reactor
import Synchronization
import Timeshift

/// Keeps secrets from being guessed over the network: of an address that has been wrong so often nothing is looked at,
/// right or wrong, until it has been quiet for ten seconds or its minute is over.
///
/// The same wrong guess, sent again and again, is one: that is somebody who does not know better, and learns nothing.
/// The connection that has shown the right one is never refused, and an address that has done so lately may be wrong
/// more often, where that is wanted: others may stand behind it. Who has many addresses of IPv6 is one, by /64; a /48
/// may be wrong some times as often, which those in it who have been right lately are not held to.
public final class GuessLimit: Sendable {
  /// In a minute that begins with the first. At this pace eight random letters take some 10,000 years.
  public static let wrongMax = 20
  /// The same for tokens of sessions: a page may well ask for one every second before its player has connected.
  public static let tokensMax = 600
  /// Listeners of an address at once who are to have their session when they have stayed: who finds out by that which
  /// tokens others have needs as many connections for ten seconds.
  static let earningMax = 64
  static let nanoseconds: Int64 = 60_000_000_000
  static let quietNanoseconds: Int64 = 10_000_000_000
  /// How long somebody who has been right is known, nanoseconds.
  private static let knownNanoseconds: Int64 = 3_600_000_000_000
  /// Remembered at once: of the wrong, and of the right. Some 200 bytes each.
  static let addressesMax = 10_000
  private static let knownMax = 2000
  /// How many times as often as one of its /64s a /48 may be wrong: it may be one customer's, or some hundred's.
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
  /// How many times as often as a stranger an address may be wrong that has been right.
  private let knownFactor: Int
  let now: @Sendable () -> Int64
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

  /// How many tallies are kept.
  var addresses: Int { state.withLock { $0.wrong.count } }

  private func most(isKnown: Bool) -> Int { isKnown ? wrongMax * knownFactor : wrongMax }

  /// Whether its secrets are not looked at now. Ask only for who has sent one: it counts as a try. The administration's
  /// own socket never is.
  public func isSpent(_ origin: APIRequest.Origin) -> Bool {
    guard let block = AddressBlock(origin) else { return false }
    let now = now()
    return state.withLock { standing(of: block, origin, in: &$0, at: now) == .spent }
  }

  /// What somebody may do who has sent a secret.
  enum Standing: Equatable {
    /// Its connection has shown the right one.
    case known
    case spent
    /// It may be wrong so often yet: its block, and its /48 behind that, in which those who were right lately are apart.
    case left([Int], isKnown: Bool)
  }

  func standing(
    of block: AddressBlock, _ origin: APIRequest.Origin, in state: inout State, at now: Int64
  ) -> Standing {
    if let peer = origin.connection, state.isKnown(peer, at: now) { return .known }
    let isKnown = state.isKnown(block, at: now)
    let max = most(isKnown: isKnown)
    if state.wrong.isSpent(block, isKnown: isKnown, max: max, at: now) { return .spent }
    let left = state.wrong.left(block, isKnown: isKnown, max: max, at: now)
    return .left(left, isKnown: isKnown)
  }

  /// It has been wrong; `guess`: with what, where it may well send the same again.
  public func wrong(_ origin: APIRequest.Origin, _ guess: Guess? = nil) {
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

  /// What it was told to be wrong with has turned out to be no guess.
  func takeBack(_ origin: APIRequest.Origin) {
    guard let block = AddressBlock(origin) else { return }
    let now = now()
    state.withLock { $0.wrong.takeBack(block, at: now) }
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

/// What somebody took for a secret, as far as it takes to know it again: a hash that means nothing outside this process.
public struct Guess: Hashable, Sendable {
  let digest: UInt64

  /// - Parameter place: what it was to open, where that is one of several.
  public init(_ secret: some Hashable, for place: String = "") {
    var hasher = Hasher()
    hasher.combine(secret)
    hasher.combine(place)
    // 0 stands for none.
    digest = max(1, UInt64(bitPattern: Int64(hasher.finalize())))
  }
}

extension APIRequest.Origin {
  /// The one connection it is; nil where a proxy speaks for somebody, whose port nobody tells.
  fileprivate var connection: SocketAddress? {
    address.flatMap { $0.port ?? 0 > 0 ? $0 : nil }
  }
}
