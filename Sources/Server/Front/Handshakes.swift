import Reactor
import Wire

/// A loop's handshakes: how many are under way, of which addresses, and which connections wait for a place.
struct Handshakes {
  /// Steps in one turn. A step takes some 300 µs where it calculates, during which listeners wait.
  static let stepsMax = 4

  /// A handshake under way.
  private struct Flight {
    var token: UInt64
    /// Time since which the client has kept the handshake waiting; `.max` when the next step is the server's.
    var waitsSince = Int64.max
  }

  /// Handshakes of one address.
  private struct Site {
    /// Handshakes under way, the oldest first.
    var flights: [Flight] = []
    /// Handshakes beyond the address's share, oldest first; the newest is served first. So a client that sends many at
    /// once does not keep others behind its address waiting.
    var waiting: [UInt64] = []
  }

  var figures = HandshakeFigures()
  var underWayMax = 0
  var ofAddressMax = 0
  /// Handshakes by address; nil for trusted proxies, which speak for many clients.
  private var sites: [AddressBlock?: Site] = [:]
  /// Tokens of connections that wait for a place of all, in order, behind `next`. Some of the connections may be gone.
  private var queue: [UInt64] = []
  private var next = 0
  private var turn = Int64.min
  private var steps = 0

  /// Reserves one of the steps of this turn of the loop; false when none is left.
  mutating func reserveStep(turn: Int64) -> Bool {
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

  /// Whether an address has all the handshakes that it may have.
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

  /// Notes since when the client has to go on; nil when the server has to.
  mutating func setWaiting(_ token: UInt64, of site: AddressBlock?, since: Int64?) {
    guard let index = sites[site]?.flights.firstIndex(where: { $0.token == token }) else { return }
    sites[site]?.flights[index].waitsSince = since ?? .max
  }

  /// Leaves out a standstill, during which no client could be heard.
  mutating func bear(_ nanoseconds: Int64) {
    for site in sites.keys {
      for index in sites[site]!.flights.indices {
        let since = sites[site]!.flights[index].waitsSince
        sites[site]!.flights[index].waitsSince = since.saturatingAdd(nanoseconds)
      }
    }
  }

  /// Returns an address's oldest handshake whose client has kept it waiting since before `moment`.
  func stalled(of site: AddressBlock?, before moment: Int64) -> UInt64? {
    sites[site]?.flights.first { $0.waitsSince <= moment }?.token
  }

  /// Returns the stalled handshake of the address with most under way, among those that have a stalled one.
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

  /// Removes and returns the connection that waits longest for any place, else the last one that came for a place of this
  /// address.
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

  /// Once a second: forgets connections that wait no more, and returns those for which there is a place.
  mutating func popWaiting(_ stillWaits: (UInt64) -> Bool) -> [UInt64] {
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
