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

  private struct State {
    var wrong = WrongAddresses(max: GuessLimit.addressesMax)
    var knownAddresses = RecentSet<AddressBlock>(max: GuessLimit.knownMax)
    var knownConnections = RecentSet<SocketAddress>(max: GuessLimit.knownMax)
    /// Guesses that are being looked at: of a block, and of its /48.
    var underWay: [AddressBlock: Int] = [:]
    /// Those that wait until it is known what has become of others, by /48 or block.
    var waiting: [AddressBlock: FIFO<Waiter>] = [:]

    func isKnown(_ block: AddressBlock, at now: Int64) -> Bool {
      knownAddresses.contains(block, since: now - GuessLimit.knownNanoseconds)
    }

    func isKnown(_ peer: SocketAddress, at now: Int64) -> Bool {
      knownConnections.contains(peer, since: now - GuessLimit.knownNanoseconds)
    }
  }

  private struct Waiter: Sendable {
    var block: AddressBlock
    var origin: APIRequest.Origin
    var turn: CheckedContinuation<Bool, Never>
  }

  /// Of a /48 or an address of IPv4; there is one for each connection.
  private static let waitingMax = 1000

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

  /// How many tallies are kept.
  var addresses: Int { state.withLock { $0.wrong.count } }

  private func most(isKnown: Bool) -> Int { isKnown ? wrongMax * knownFactor : wrongMax }

  /// Whether its secrets are not looked at now. Ask only for who has sent one: it counts as a try. The administration's
  /// own socket never is.
  public func isSpent(_ origin: APIRequest.Origin) -> Bool {
    guard let block = AddressBlock(origin) else { return false }
    let now = now()
    return state.withLock { state in
      guard state.wrong.has(block, at: now) else { return false }
      if let peer = origin.connection, state.isKnown(peer, at: now) { return false }
      let isKnown = state.isKnown(block, at: now)
      return state.wrong.isSpent(block, isKnown: isKnown, max: most(isKnown: isKnown), at: now)
    }
  }

  // MARK: Guesses that take time to look at

  /// Waits until a guess may be looked at where that takes time: no more of an address at once than it may still be wrong,
  /// or many sent together would all be looked at before the first one counts. Followed by `ended`.
  ///
  /// - Returns: false: it is not looked at now, and nothing follows.
  public func begins(_ origin: APIRequest.Origin) async -> Bool {
    guard let block = AddressBlock(origin) else { return true }
    return await withCheckedContinuation { turn in
      let waiter = Waiter(block: block, origin: origin, turn: turn)
      let now = now()
      let verdict = state.withLock { state -> Bool? in
        if let verdict = self.verdict(on: waiter, in: &state, at: now) { return verdict }
        let group = block.site ?? block
        var queue = state.waiting[group] ?? FIFO()
        if queue.count >= Self.waitingMax { return false }
        queue.append(waiter)
        state.waiting[group] = queue
        return nil
      }
      if let verdict { turn.resume(returning: verdict) }
    }
  }

  /// What it came to has been told by `wrong` or `right`, if anything.
  public func ended(_ origin: APIRequest.Origin) {
    guard let block = AddressBlock(origin) else { return }
    let now = now()
    let told = state.withLock { state -> [(CheckedContinuation<Bool, Never>, Bool)] in
      for key in Self.groups(of: block) {
        let left = state.underWay[key, default: 1] - 1
        state.underWay[key] = left > 0 ? left : nil
      }
      return next(of: block.site ?? block, in: &state, at: now)
    }
    for (turn, verdict) in told { turn.resume(returning: verdict) }
  }

  /// nil: it has to wait.
  private func verdict(on waiter: Waiter, in state: inout State, at now: Int64) -> Bool? {
    if let peer = waiter.origin.connection, state.isKnown(peer, at: now) {
      for key in Self.groups(of: waiter.block) { state.underWay[key, default: 0] += 1 }
      return true
    }
    let isKnown = state.isKnown(waiter.block, at: now)
    let max = most(isKnown: isKnown)
    if state.wrong.isSpent(waiter.block, isKnown: isKnown, max: max, at: now) { return false }
    let left = state.wrong.left(waiter.block, isKnown: isKnown, max: max, at: now)
    for (key, left) in zip(Self.groups(of: waiter.block), left)
    where state.underWay[key, default: 0] >= Swift.max(1, left) { return nil }
    for key in Self.groups(of: waiter.block) { state.underWay[key, default: 0] += 1 }
    return true
  }

  /// Those of a queue who need not wait any more, and what becomes of them.
  private func next(
    of group: AddressBlock, in state: inout State, at now: Int64
  ) -> [(CheckedContinuation<Bool, Never>, Bool)] {
    guard var queue = state.waiting[group] else { return [] }
    var told: [(CheckedContinuation<Bool, Never>, Bool)] = []
    for _ in 0..<queue.count {
      guard let waiter = queue.popFirst() else { break }
      if let verdict = verdict(on: waiter, in: &state, at: now) {
        told.append((waiter.turn, verdict))
      } else {
        queue.append(waiter)
      }
    }
    state.waiting[group] = queue.count > 0 ? queue : nil
    return told
  }

  /// The block, and the /48 it lies in.
  private static func groups(of block: AddressBlock) -> [AddressBlock] {
    [block] + (block.site.map { [$0] } ?? [])
  }

  // MARK: What has become of them

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
