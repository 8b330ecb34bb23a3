import Reactor
import Synchronization

/// Limits how many stations on demand an address may wake in a minute, which begins with the first: each is a
/// connection to another's server. In IPv6 the 64 bits that one customer has are one address. The 48 bits that a
/// provider may give one customer count for a few addresses, so that no customer has as many as they like.
final class StartLimit: Sendable {
  static let nanoseconds: Int64 = 60_000_000_000
  /// Factor by which a network of 48 bits may have more than an address.
  private static let networkShare = 8
  private static let addressesMax = 8192

  private struct Tally {
    var starts = 0
    /// End of the minute, monotonic nanoseconds.
    var endsAt: Int64
  }

  private struct State {
    var max = 0
    var tallies: [AddressBlock: Tally] = [:]
  }

  private let state = Mutex(State())

  /// Sets how many stations an address may wake; 0 for no limit.
  func setMax(_ max: Int) { state.withLock { $0.max = max } }

  /// Number of addresses that are remembered.
  var addresses: Int { state.withLock(\.tallies.count) }

  /// Counts a start; false when the address has had all of this minute. The administration's own socket has no limit.
  func reserve(_ origin: Peer, now: Int64) -> Bool {
    state.withLock { state in
      let keys = Self.keys(origin)
      guard state.max > 0, !keys.isEmpty else { return true }
      for (key, share) in keys {
        if let tally = state.tallies[key], now < tally.endsAt,
          tally.starts >= state.max * share
        {
          return false
        }
      }
      for (key, _) in keys { Self.count(key, in: &state.tallies, now: now) }
      return true
    }
  }

  private static func count(
    _ key: AddressBlock, in tallies: inout [AddressBlock: Tally], now: Int64
  ) {
    if tallies.count >= addressesMax { makeRoom(in: &tallies, now: now) }
    var tally = tallies[key] ?? Tally(endsAt: now + nanoseconds)
    if now >= tally.endsAt { tally = Tally(endsAt: now + nanoseconds) }
    tally.starts += 1
    tallies[key] = tally
  }

  /// Forgets minutes that are over and, if need be, the older half, so that the next thousands find room at once.
  private static func makeRoom(in tallies: inout [AddressBlock: Tally], now: Int64) {
    tallies = tallies.filter { now < $0.value.endsAt }
    if tallies.count < addressesMax / 2 { return }
    let ends = tallies.values.map(\.endsAt).sorted()
    let middle = ends[ends.count / 2]
    tallies = tallies.filter { $0.value.endsAt > middle }
  }

  private static func keys(_ origin: Peer) -> [(block: AddressBlock, share: Int)] {
    AddressBlock(origin)?.withSite(share: networkShare) ?? []
  }
}
