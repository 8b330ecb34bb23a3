import Synchronization
import Threads
import Timeshift

/// Guesses that are being checked, and those that wait for the outcome of others.
struct GuessesUnderWay {
  struct Waiter: Sendable {
    var block: AddressBlock
    var origin: Peer
    var turn: CheckedContinuation<Bool, Never>
    /// Whether the block had been right lately when the guess began to wait.
    var isKnown: Bool

    /// Group that the guess waits with.
    fileprivate var group: Group { Group(block: block.siteOrSelf, isKnown: isKnown) }
  }

  /// Guesses that are counted together: those of an address, or of a /48. Addresses that were right lately are apart
  /// from the others, or strangers that keep a slow service busy would hold them up.
  fileprivate struct Group: Hashable {
    var block: AddressBlock
    var isKnown: Bool
  }

  /// Waiting guesses of a group; each belongs to one connection.
  private static let waitingMax = 1000

  /// Guesses under way of a block, and of its /48.
  private var counts: [Group: Int] = [:]
  private var waiting: [Group: FIFO<Waiter>] = [:]

  /// Begins a guess, unless it has to wait.
  ///
  /// - Parameters:
  ///   - isKnown: whether the block was right lately.
  ///   - left: how often more the block and its /48 may be wrong; nil for any number.
  /// - Returns: false when as many guesses are under way as may still be wrong.
  mutating func begin(_ block: AddressBlock, isKnown: Bool, left: [Int]?) -> Bool {
    if let left {
      // Counts all guesses of the block: it may have become known meanwhile.
      let own = count(block, isKnown: false) + count(block, isKnown: true)
      let ofSite = block.site.map { count($0, isKnown: isKnown) }
      for (count, left) in zip([own, ofSite].compactMap(\.self), left) where count >= max(1, left) {
        return false
      }
    }
    for key in Self.keys(block, isKnown) { counts[key, default: 0] += 1 }
    return true
  }

  mutating func end(_ block: AddressBlock) {
    // Which of a block's guesses has ended makes no difference once all of them have.
    let isKnown = count(block, isKnown: false) == 0
    for key in Self.keys(block, isKnown) {
      let left = counts[key, default: 1] - 1
      counts[key] = left > 0 ? left : nil
    }
  }

  private func count(_ block: AddressBlock, isKnown: Bool) -> Int {
    counts[Group(block: block, isKnown: isKnown), default: 0]
  }

  /// Lets a guess wait; false when too many wait already.
  mutating func wait(_ waiter: Waiter) -> Bool {
    var queue = waiting[waiter.group] ?? FIFO()
    if queue.count >= Self.waitingMax { return false }
    queue.append(waiter)
    waiting[waiter.group] = queue
    return true
  }

  /// Removes and returns all guesses that wait for the outcome of a block's guesses: those of known blocks first, in each group
  /// the longest waiting first.
  mutating func popWaiting(for block: AddressBlock) -> [Waiter] {
    var waiters: [Waiter] = []
    for isKnown in [true, false] {
      let group = Group(block: block.siteOrSelf, isKnown: isKnown)
      var queue = waiting.removeValue(forKey: group) ?? FIFO()
      while let waiter = queue.popFirst() { waiters.append(waiter) }
    }
    return waiters
  }

  /// Returns the groups of the block and of the /48 it lies in.
  private static func keys(_ block: AddressBlock, _ isKnown: Bool) -> [Group] {
    block.withSite.map { Group(block: $0, isKnown: isKnown) }
  }
}

// Guesses that take time to check.
extension GuessLimit {
  /// Waits until the guess may be checked. No more guesses of an address are checked at once than may still be wrong.
  ///
  /// Otherwise many guesses sent together would all be checked before the first one counts. A call of `ended` follows.
  ///
  /// - Returns: false when the guess is not checked now; nothing follows then.
  public func begins(_ origin: Peer) async -> Bool {
    guard let block = AddressBlock(origin) else { return true }
    return await withCheckedContinuation { turn in
      let now = now()
      let verdict = state.withLock { state -> Bool? in
        let waiter = GuessesUnderWay.Waiter(
          block: block, origin: origin, turn: turn, isKnown: state.isKnown(block, at: now))
        if let verdict = self.verdict(on: waiter, in: &state, at: now) { return verdict }
        return state.underWay.wait(waiter) ? nil : false
      }
      if let verdict { turn.resume(returning: verdict) }
    }
  }

  /// Ends a guess, whose outcome `wrong` or `right` has told, if any; lets waiting guesses go on.
  public func ended(_ origin: Peer) {
    guard let block = AddressBlock(origin) else { return }
    let now = now()
    let told = state.withLock { state -> [(CheckedContinuation<Bool, Never>, Bool)] in
      state.underWay.end(block)
      return state.underWay.popWaiting(for: block).compactMap { waiter in
        if let verdict = verdict(on: waiter, in: &state, at: now) { return (waiter.turn, verdict) }
        // The guess had room there before.
        _ = state.underWay.wait(waiter)
        return nil
      }
    }
    for (turn, verdict) in told { turn.resume(returning: verdict) }
  }

  /// Returns whether a guess may be checked; nil when it has to wait.
  private func verdict(
    on waiter: GuessesUnderWay.Waiter, in state: inout State, at now: Int64
  ) -> Bool? {
    switch standing(of: waiter.block, waiter.origin, in: &state, at: now) {
    case .spent: false
    case .known: state.underWay.begin(waiter.block, isKnown: true, left: nil) ? true : nil
    case .left(let left, let isKnown):
      state.underWay.begin(waiter.block, isKnown: isKnown, left: left) ? true : nil
    }
  }
}
