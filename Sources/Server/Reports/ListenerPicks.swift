/// The listeners of a loop that are first in a list, chosen in one walk over all of them.
struct ListenerPicks {
  struct Pick {
    let rank: ListenerRank
    let slot: UInt32
  }

  let listing: ListenerListing
  /// Listeners that the walk has come by, and how many of them are behind the part's beginning.
  private(set) var total = 0
  private(set) var rest = 0
  private var picks: [Pick] = []
  /// Nothing behind this place is among the first.
  private var last: ListenerRank?

  init(_ listing: ListenerListing) { self.listing = listing }

  mutating func offer(_ rank: ListenerRank, at slot: UInt32) {
    total += 1
    if let after = listing.after, rank <= after { return }
    rest += 1
    if let last, rank > last { return }
    picks.append(Pick(rank: rank, slot: slot))
    // Sorted once for as many offers as are kept, so that a walk over N listeners costs N log(limit).
    if let limit = listing.limit, picks.count / 2 >= max(1, limit) { cut(to: limit) }
  }

  /// Returns the first listeners of the list, in its order.
  mutating func first() -> [Pick] {
    cut(to: listing.limit ?? picks.count)
    return picks
  }

  private mutating func cut(to limit: Int) {
    picks.sort { $0.rank < $1.rank }
    guard limit < picks.count else { return }
    picks.removeSubrange(max(0, limit)...)
    last = picks.last?.rank
  }
}

/// A loop's share of a part of the list of listeners.
struct ListenerShare: Sendable {
  var total = 0
  var rest = 0
  /// The loop's first ones, in the list's order.
  var listeners: [(rank: ListenerRank, snapshot: ListenerSnapshot)] = []

  mutating func add(_ other: ListenerShare) {
    total += other.total
    rest += other.rest
    listeners += other.listeners
  }

  /// Returns the part of the list, once all loops have added theirs.
  func page(limit: Int?) -> ListenerPage {
    var page = ListenerPage()
    let first = listeners.sorted { $0.rank < $1.rank }.prefix(limit ?? listeners.count)
    page.listeners = first.map(\.snapshot)
    page.total = total
    if rest > first.count { page.next = first.last?.rank }
    return page
  }
}
