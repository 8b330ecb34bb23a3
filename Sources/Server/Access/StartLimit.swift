import Reactor
import Synchronization

/// How many stations on demand an address may wake in a minute, which begins with the first: each is a connection to
/// somebody else's server. In IPv6 the 64 bits that one customer has are one address, and the 48 bits that a provider
/// may give one count for a few of them, so that nobody has as many as they like.
final class StartLimit: Sendable {
  static let nanoseconds: Int64 = 60_000_000_000
  /// Networks of 48 bits, in addresses.
  private static let networkShare = 8
  private static let addressesMax = 8192

  private struct Tally {
    var starts = 0
    /// Monotonic nanoseconds.
    var endsAt: Int64
  }

  private struct State {
    var max = 0
    var tallies: [AddressBlock: Tally] = [:]
  }

  private let state = Mutex(State())

  /// 0: as many as they like.
  func setMax(_ max: Int) { state.withLock { $0.max = max } }

  /// How many are remembered.
  var addresses: Int { state.withLock(\.tallies.count) }

  /// Takes one; false when the address has had all of this minute. The administration's own socket has no limit.
  func take(_ origin: APIRequest.Origin, now: Int64) -> Bool {
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

  /// The older half goes, so that the next thousands find room at once.
  private static func makeRoom(in tallies: inout [AddressBlock: Tally], now: Int64) {
    tallies = tallies.filter { now < $0.value.endsAt }
    if tallies.count < addressesMax / 2 { return }
    let ends = tallies.values.map(\.endsAt).sorted()
    let middle = ends[ends.count / 2]
    tallies = tallies.filter { $0.value.endsAt > middle }
  }

  private static func keys(_ origin: APIRequest.Origin) -> [(block: AddressBlock, share: Int)] {
    AddressBlock(origin)?.withSite(share: networkShare) ?? []
  }
}
