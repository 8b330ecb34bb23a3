/// How often addresses have been wrong in their minutes. Bounded: what is forgotten for newcomers is the least recent of
/// the network that has the most, so that nobody with many addresses can have others forgotten.
struct WrongAddresses {
  private struct Tally {
    var wrong = 0
    /// Monotonic nanoseconds.
    var endsAt: Int64
    /// When it was last wrong, or tried while it was not looked at.
    var triedAt: Int64
  }

  /// Forgotten at once, so that looking for them is paid for by as many newcomers.
  private static let batch = 128

  private let max: Int
  private var tallies: [AddressBlock: Tally] = [:]
  /// How many /64s of a /48 are remembered.
  private var sites: [AddressBlock: Int] = [:]

  init(max: Int) { self.max = max }

  var count: Int { tallies.count }

  /// What an address is counted under: itself, or its /48 while that has been wrong with many.
  private func key(_ block: AddressBlock, at now: Int64) -> AddressBlock {
    guard let site = block.site, let tally = tallies[site], now < tally.endsAt else { return block }
    return site
  }

  /// Whether it has been wrong in this minute.
  func has(_ block: AddressBlock, at now: Int64) -> Bool {
    tallies[key(block, at: now)].map { now < $0.endsAt } ?? false
  }

  /// Whether it has been wrong `max` times and has not been quiet since. A try of whoever has is one more.
  mutating func isSpent(_ block: AddressBlock, max: Int, at now: Int64) -> Bool {
    let key = key(block, at: now)
    guard let tally = tallies[key], tally.wrong >= max, now < tally.endsAt,
      now - tally.triedAt < GuessLimit.quietNanoseconds
    else { return false }
    tallies[key]?.triedAt = now
    return true
  }

  /// - Returns: how often it has been wrong in this minute.
  mutating func add(_ block: AddressBlock, at now: Int64) -> Int {
    var key = key(block, at: now)
    if tallies[key] == nil {
      if tallies.count >= max { makeRoom(at: now) }
      key = widened(key, at: now)
    }
    var tally = tallies[key] ?? Tally(endsAt: 0, triedAt: now)
    if now >= tally.endsAt { tally = Tally(endsAt: now + GuessLimit.nanoseconds, triedAt: now) }
    tally.wrong += 1
    tally.triedAt = now
    tallies[key] = tally
    return tally.wrong
  }

  /// Counts a newcomer of a /48; where too many of them are wrong now, the /48 takes over what they have been.
  private mutating func widened(_ block: AddressBlock, at now: Int64) -> AddressBlock {
    guard let site = block.site else { return block }
    sites[site, default: 0] += 1
    guard sites[site, default: 0] > GuessLimit.siteMax else { return block }
    var sum = Tally(endsAt: now + GuessLimit.nanoseconds, triedAt: now)
    let its = tallies.filter { $0.key.site == site }
    for (key, tally) in its where now >= tally.endsAt { forget(key) }
    let wrong = its.values.filter { now < $0.endsAt }
    guard wrong.count >= GuessLimit.siteMax else { return block }
    sum.wrong = wrong.reduce(0) { $0 + $1.wrong }
    for key in its.keys { tallies[key] = nil }
    sites[site] = nil
    tallies[site] = sum
    return site
  }

  private mutating func makeRoom(at now: Int64) {
    for (key, tally) in tallies where now >= tally.endsAt { forget(key) }
    guard tallies.count >= max else { return }
    var networks: [AddressBlock: Int] = [:]
    for key in tallies.keys { networks[key.network, default: 0] += 1 }
    guard let greediest = networks.max(by: { $0.value < $1.value }) else { return }
    let its = tallies.filter { $0.key.network == greediest.key }
      .sorted { $0.value.triedAt < $1.value.triedAt }
    // Half of them at most: the last ones are at it now.
    for (key, _) in its.prefix(Swift.max(1, min(Self.batch, its.count / 2))) { forget(key) }
  }

  private mutating func forget(_ key: AddressBlock) {
    tallies[key] = nil
    guard let site = key.site, let left = sites[site] else { return }
    sites[site] = left > 1 ? left - 1 : nil
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
