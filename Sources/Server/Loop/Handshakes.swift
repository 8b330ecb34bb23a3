import Reactor
import Wire

/// How handshakes have ended.
public struct HandshakeFigures: Hashable, Sendable {
  public var full: UInt64 = 0
  /// With a ticket of an earlier one.
  public var resumed: UInt64 = 0
  /// What came was no handshake, or none that could succeed.
  public var failed: UInt64 = 0
  /// The client left, or its time was up.
  public var abandoned: UInt64 = 0
  /// Now.
  var underWay = 0
  /// Clients that wait now for others' handshakes to end.
  var waiting = 0

  public init() {}

  mutating func add(_ other: HandshakeFigures) {
    full += other.full
    resumed += other.resumed
    failed += other.failed
    abandoned += other.abandoned
    underWay += other.underWay
    waiting += other.waiting
  }
}

/// A loop's handshakes: how many are under way, whose they are, and who waits for a place.
struct Handshakes {
  /// Each takes some 300 µs where it calculates, during which listeners wait.
  static let stepsMax = 4

  /// One that is under way.
  private struct Flight {
    var token: UInt64
    /// Since when its client has kept it waiting; `.max`: the next step is ours.
    var waitsSince = Int64.max
  }

  /// Of one address.
  private struct Site {
    /// The oldest first.
    var flights: [Flight] = []
    /// Tokens of those beyond what it may have, the first first; the last is served first: who sends many at once has
    /// them in front of whoever else is behind the address.
    var waiting: [UInt64] = []
  }

  var figures = HandshakeFigures()
  var underWayMax = 0
  var ofAddressMax = 0
  /// nil: proxies that are trusted, who speak for many.
  private var sites: [AddressBlock?: Site] = [:]
  /// Tokens of connections that wait for a place of all, the first first; behind `next`. Some may be gone.
  private var queue: [UInt64] = []
  private var next = 0
  private var turn = Int64.min
  private var steps = 0

  /// Whether there is one left in this turn of the loop.
  mutating func takeStep(turn: Int64) -> Bool {
    if turn != self.turn {
      self.turn = turn
      steps = Self.stepsMax
    }
    if steps == 0 { return false }
    steps -= 1
    return true
  }

  // MARK: Under way

  var placesFree: Int { max(0, underWayMax - figures.underWay) }

  /// Whether an address has all that it may have.
  func isFull(_ site: AddressBlock?) -> Bool {
    guard site != nil, let of = sites[site] else { return false }
    return of.flights.count >= ofAddressMax
  }

  mutating func begin(_ token: UInt64, of site: AddressBlock?) {
    figures.underWay += 1
    sites[site, default: Site()].flights.append(Flight(token: token))
  }

  mutating func end(_ token: UInt64, of site: AddressBlock?) {
    figures.underWay -= 1
    sites[site]?.flights.removeAll { $0.token == token }
    forget(site)
  }

  /// From now on it is for the client to say something; nil: for us.
  mutating func setWaiting(_ token: UInt64, of site: AddressBlock?, since: Int64?) {
    guard let index = sites[site]?.flights.firstIndex(where: { $0.token == token }) else { return }
    sites[site]?.flights[index].waitsSince = since ?? .max
  }

  /// Nobody was there to hear what clients say for so long.
  mutating func bear(_ nanoseconds: Int64) {
    for site in sites.keys {
      for index in sites[site]!.flights.indices {
        let since = sites[site]!.flights[index].waitsSince
        sites[site]!.flights[index].waitsSince = since.saturatingAdd(nanoseconds)
      }
    }
  }

  /// The oldest of an address that its client has kept waiting since before `moment`.
  func stalled(of site: AddressBlock?, before moment: Int64) -> UInt64? {
    sites[site]?.flights.first { $0.waitsSince <= moment }?.token
  }

  /// The same of the address with most under way.
  func stalledOfGreediest(before moment: Int64) -> UInt64? {
    var most = 0
    var found: UInt64?
    for (site, of) in sites where site != nil && of.flights.count > most {
      guard let token = stalled(of: site, before: moment) else { continue }
      most = of.flights.count
      found = token
    }
    return found
  }

  // MARK: Waiting

  mutating func wait(_ token: UInt64) { queue.append(token) }

  mutating func wait(_ token: UInt64, of site: AddressBlock?) {
    sites[site, default: Site()].waiting.append(token)
  }

  /// The one that waits longest for any place, else the last one that came for one of this address.
  mutating func popWaiting(of site: AddressBlock?) -> UInt64? {
    if next < queue.count {
      next += 1
      return queue[next - 1]
    }
    queue.removeAll(keepingCapacity: true)
    next = 0
    guard let of = sites[site], !of.waiting.isEmpty else { return nil }
    let token = sites[site]?.waiting.removeLast()
    forget(site)
    return token
  }

  /// Once a second: forgets who waits no more, and takes out those whom there is a place for.
  mutating func takeWaiting(_ stillWaits: (UInt64) -> Bool) -> [UInt64] {
    queue = queue[next...].filter(stillWaits)
    next = 0
    figures.waiting = queue.count
    var taken = Array(queue.prefix(placesFree))
    queue.removeFirst(taken.count)
    for site in Array(sites.keys) {
      guard var of = sites[site], !of.waiting.isEmpty else { continue }
      of.waiting.removeAll { !stillWaits($0) }
      figures.waiting += of.waiting.count
      let left = min(placesFree - taken.count, ofAddressMax - of.flights.count)
      let called = of.waiting.suffix(max(0, left))
      taken += called
      of.waiting.removeLast(called.count)
      sites[site] = of
      forget(site)
    }
    return taken
  }

  private mutating func forget(_ site: AddressBlock?) {
    if let of = sites[site], of.flights.isEmpty, of.waiting.isEmpty { sites[site] = nil }
  }
}
