import Synchronization
import Threads
import Timeshift

/// Guesses that are being looked at, and those that wait until it is known what has become of others.
struct GuessesUnderWay {
  struct Waiter: Sendable {
    var block: AddressBlock
    var origin: APIRequest.Origin
    var turn: CheckedContinuation<Bool, Never>
    /// Whether its block was right lately, when it began to wait.
    var isKnown: Bool

    /// Who it waits with.
    fileprivate var group: Group { Group(block: block.siteOrSelf, isKnown: isKnown) }
  }

  /// Whose tries are counted together: those of an address, or of a /48. Those who were right lately are apart from the
  /// others, or strangers who keep a slow service busy would hold them up.
  fileprivate struct Group: Hashable {
    var block: AddressBlock
    var isKnown: Bool
  }

  /// Of a group; there is one for each connection.
  private static let waitingMax = 1000

  /// Of a block, and of its /48.
  private var counts: [Group: Int] = [:]
  private var waiting: [Group: FIFO<Waiter>] = [:]

  /// - Parameters:
  ///   - isKnown: whether its block was right lately.
  ///   - left: how often more its block and its /48 may be wrong; nil: as often as it likes.
  /// - Returns: false: as many are under way as may still be wrong.
  mutating func begin(_ block: AddressBlock, isKnown: Bool, left: [Int]?) -> Bool {
    if let left {
      // Of the block all: it may have become known meanwhile.
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
    // Which one of a block's it was makes no difference once all of them have ended.
    let isKnown = count(block, isKnown: false) == 0
    for key in Self.keys(block, isKnown) {
      let left = counts[key, default: 1] - 1
      counts[key] = left > 0 ? left : nil
    }
  }

  private func count(_ block: AddressBlock, isKnown: Bool) -> Int {
    counts[Group(block: block, isKnown: isKnown), default: 0]
  }

  /// False: too many wait already.
  mutating func wait(_ waiter: Waiter) -> Bool {
    var queue = waiting[waiter.group] ?? FIFO()
    if queue.count >= Self.waitingMax { return false }
    queue.append(waiter)
    waiting[waiter.group] = queue
    return true
  }

  /// Takes out all that wait for what becomes of a block's guesses, the longest first.
  mutating func takeWaiting(for block: AddressBlock) -> [Waiter] {
    var waiters: [Waiter] = []
    for isKnown in [true, false] {
      let group = Group(block: block.siteOrSelf, isKnown: isKnown)
      var queue = waiting.removeValue(forKey: group) ?? FIFO()
      while let waiter = queue.popFirst() { waiters.append(waiter) }
    }
    return waiters
  }

  /// The block, and the /48 it lies in.
  private static func keys(_ block: AddressBlock, _ isKnown: Bool) -> [Group] {
    block.withSite.map { Group(block: $0, isKnown: isKnown) }
  }
}

// Guesses that take time to look at.
extension GuessLimit {
  /// Waits until a guess may be looked at where that takes time: no more of an address at once than it may still be wrong,
  /// or many sent together would all be looked at before the first one counts. Followed by `ended`.
  ///
  /// - Returns: false: it is not looked at now, and nothing follows.
  public func begins(_ origin: APIRequest.Origin) async -> Bool {
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

  /// What it came to has been told by `wrong` or `right`, if anything.
  public func ended(_ origin: APIRequest.Origin) {
    guard let block = AddressBlock(origin) else { return }
    let now = now()
    let told = state.withLock { state -> [(CheckedContinuation<Bool, Never>, Bool)] in
      state.underWay.end(block)
      return state.underWay.takeWaiting(for: block).compactMap { waiter in
        if let verdict = verdict(on: waiter, in: &state, at: now) { return (waiter.turn, verdict) }
        // There was room for it before.
        _ = state.underWay.wait(waiter)
        return nil
      }
    }
    for (turn, verdict) in told { turn.resume(returning: verdict) }
  }

  /// nil: it has to wait.
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
