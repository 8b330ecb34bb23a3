/// How often addresses have been wrong in their minutes: each /64 of IPv6, and besides the /48 it lies in. Bounded: what is
/// forgotten for newcomers is the least recent of the network that has the most, so that nobody with many addresses can
/// have others forgotten.
struct WrongAddresses {
  /// Whose tally it is.
  private struct Key: Hashable {
    var block: AddressBlock
    /// Of a /48: whether it is that of those in it who have been right lately. Strangers spend theirs, not this one.
    var isKnown = false
  }

  private struct Tally {
    var wrong = 0
    /// Monotonic nanoseconds.
    var endsAt: Int64
    /// When it was last wrong, or tried while it was not looked at.
    var triedAt: Int64
    /// The last guesses that counted; 0: none.
    var guesses = SIMD8<UInt64>()
    /// Whether somebody was told that it is spent.
    var isTold = false

    init(from now: Int64) {
      endsAt = now + GuessLimit.nanoseconds
      triedAt = now
    }

    func isSpent(_ max: Int, at now: Int64) -> Bool {
      wrong >= max && now < endsAt && now - triedAt < GuessLimit.quietNanoseconds
    }

    mutating func count(_ guess: Guess?, at now: Int64) {
      if let guess { guesses[wrong % guesses.scalarCount] = guess.digest }
      wrong += 1
      triedAt = now
    }

    func has(_ guess: Guess) -> Bool { any(guesses .== SIMD8(repeating: guess.digest)) }
  }

  /// Forgotten at once, so that looking for them is paid for by as many newcomers.
  private static let batch = 1250

  private let max: Int
  private var tallies: [Key: Tally] = [:]

  init(max: Int) { self.max = max }

  var count: Int { tallies.count }

  private func tally(_ key: Key, at now: Int64) -> Tally? {
    tallies[key].flatMap { now < $0.endsAt ? $0 : nil }
  }

  /// Whether it has been wrong `max` times, or its /48 some times as often, and has not been quiet since. A try of
  /// whoever has is one more.
  mutating func isSpent(_ block: AddressBlock, isKnown: Bool, max: Int, at now: Int64) -> Bool {
    var isSpent = false
    for (key, share) in Self.keys(block, isKnown)
    where tally(key, at: now)?.isSpent(max * share, at: now) == true {
      tallies[key]?.triedAt = now
      isSpent = true
    }
    return isSpent
  }

  /// How often more it may be wrong in this minute, and its /48 in the same order as `keys`; 0 or less: it may not.
  func left(_ block: AddressBlock, isKnown: Bool, max: Int, at now: Int64) -> [Int] {
    Self.keys(block, isKnown).map { key, share in
      max * share - (tally(key, at: now)?.wrong ?? 0)
    }
  }

  /// - Returns: whether it is spent by this, for the first time in its minute.
  mutating func add(
    _ block: AddressBlock, _ guess: Guess?, isKnown: Bool, max: Int, at now: Int64
  ) -> Bool {
    let own = Key(block: block)
    if let guess, tally(own, at: now)?.has(guess) == true { return false }
    for (key, _) in Self.keys(block, isKnown) {
      if tallies[key] == nil, tallies.count >= self.max { makeRoom(at: now) }
      var tally = tally(key, at: now) ?? Tally(from: now)
      tally.count(guess, at: now)
      tallies[key] = tally
    }
    guard let tally = tallies[own], tally.wrong >= max, !tally.isTold else { return false }
    tallies[own]?.isTold = true
    return true
  }

  /// One less, where that is left to be taken.
  mutating func takeBack(_ block: AddressBlock, at now: Int64) {
    for (key, _) in Self.keys(block, false) {
      if let tally = tally(key, at: now), tally.wrong > 0 { tallies[key]?.wrong -= 1 }
    }
  }

  private static func keys(_ block: AddressBlock, _ isKnown: Bool) -> [(Key, share: Int)] {
    let own = (Key(block: block), share: 1)
    guard let site = block.site else { return [own] }
    return [own, (Key(block: site, isKnown: isKnown), share: GuessLimit.siteFactor)]
  }

  private mutating func makeRoom(at now: Int64) {
    if tallies.values.contains(where: { now >= $0.endsAt }) {
      tallies = tallies.filter { now < $0.value.endsAt }
    }
    guard tallies.count >= max else { return }
    var networks: [AddressBlock: Int] = [:]
    for key in tallies.keys { networks[key.block.network, default: 0] += 1 }
    guard let greediest = networks.max(by: { $0.value < $1.value }) else { return }
    let times = tallies.compactMap {
      $0.key.block.network == greediest.key ? $0.value.triedAt : nil
    }.sorted()
    // Half of them at most: the last ones are at it now.
    var left = Swift.max(1, min(Self.batch, times.count / 2))
    let last = times[left - 1]
    for (key, tally) in tallies
    where left > 0 && tally.triedAt <= last && key.block.network == greediest.key {
      tallies[key] = nil
      left -= 1
    }
  }
}

/// Who was here lately; the one that was not for longest makes room.
struct RecentSet<Element: Hashable & Sendable>: Sendable {
  private let max: Int
  private var times: [Element: Int64] = [:]

  init(max: Int) { self.max = max }

  func contains(_ element: Element, since time: Int64) -> Bool {
    times[element].map { $0 >= time } ?? false
  }

  mutating func insert(_ element: Element, at now: Int64) {
    if times[element] == nil, times.count >= max {
      // An eighth at once, so that looking for them is paid for by as many newcomers.
      for (old, _) in times.sorted(by: { $0.value < $1.value }).prefix(max / 8) { times[old] = nil }
    }
    times[element] = now
  }

  mutating func remove(_ element: Element) { times[element] = nil }
}
