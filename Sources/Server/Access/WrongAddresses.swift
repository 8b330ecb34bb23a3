/// Counts how often addresses have been wrong in their minutes: each /64 of IPv6, and besides the /48 it lies in.
/// Bounded: newcomers take the place of the least recent of the network that has most, so that no owner of many
/// addresses can have others forgotten.
struct WrongAddresses {
  /// The address that a tally is of.
  private struct Key: Hashable {
    var block: AddressBlock
    /// For a /48: whether the tally is of addresses in it that were right lately. Strangers use up theirs, not this
    /// one.
    var isKnown = false
  }

  private struct Tally {
    var wrong = 0
    /// End of the minute, monotonic nanoseconds.
    var endsAt: Int64
    /// Time when the address was last wrong, or tried while it was not looked at.
    var triedAt: Int64
    /// The last guesses that counted; 0 for none.
    var guesses = SIMD8<UInt64>()
    /// Whether it was reported that the address is spent.
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

  /// Tallies forgotten at once, so that as many newcomers pay for one search.
  private static let batch = 1250

  private let max: Int
  private var tallies: [Key: Tally] = [:]

  init(max: Int) { self.max = max }

  var count: Int { tallies.count }

  private func tally(_ key: Key, at now: Int64) -> Tally? {
    tallies[key].flatMap { now < $0.endsAt ? $0 : nil }
  }

  /// Whether the address has been wrong `max` times, or its /48 some times as often, and has not been quiet since. The
  /// question counts as a try of an address that is spent.
  mutating func isSpent(_ block: AddressBlock, isKnown: Bool, max: Int, at now: Int64) -> Bool {
    var isSpent = false
    for (key, share) in Self.keys(block, isKnown)
    where tally(key, at: now)?.isSpent(max * share, at: now) == true {
      tallies[key]?.triedAt = now
      isSpent = true
    }
    return isSpent
  }

  /// Returns how often more the address and its /48 may be wrong in this minute, in the order of `keys`; 0 or less for
  /// not at all.
  func left(_ block: AddressBlock, isKnown: Bool, max: Int, at now: Int64) -> [Int] {
    Self.keys(block, isKnown).map { key, share in
      max * share - (tally(key, at: now)?.wrong ?? 0)
    }
  }

  /// Counts a wrong guess.
  ///
  /// - Returns: whether the address is spent by the guess, for the first time in its minute.
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

  /// Counts one wrong guess less, where any is left to be taken.
  mutating func forgive(_ block: AddressBlock, at now: Int64) {
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
    // Half of them at most: the last ones are trying now.
    var left = Swift.max(1, min(Self.batch, times.count / 2))
    let last = times[left - 1]
    for (key, tally) in tallies
    where left > 0 && tally.triedAt <= last && key.block.network == greediest.key {
      tallies[key] = nil
      left -= 1
    }
  }
}

/// Elements that were here lately; the one that was not for longest makes room.
struct RecentSet<Element: Hashable & Sendable>: Sendable {
  private let max: Int
  private var times: [Element: Int64] = [:]

  init(max: Int) { self.max = max }

  func contains(_ element: Element, since time: Int64) -> Bool {
    times[element].map { $0 >= time } ?? false
  }

  mutating func insert(_ element: Element, at now: Int64) {
    if times[element] == nil, times.count >= max {
      // An eighth at once, so that as many newcomers pay for one search.
      for (old, _) in times.sorted(by: { $0.value < $1.value }).prefix(max / 8) { times[old] = nil }
    }
    times[element] = now
  }

  mutating func remove(_ element: Element) { times[element] = nil }
}
