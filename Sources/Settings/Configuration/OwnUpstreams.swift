import Reactor
import Wire

/// Stations of one file that are fed by themselves: their upstreams are addresses of this relay.
extension Configuration {
  /// The path from a station over its upstreams back to itself, by ids, for each such upstream.
  ///
  /// - Parameter byID: all stations.
  package func loops(
    of station: StationDefinition, among byID: [String: StationDefinition]
  ) -> [(url: String, ids: [String])] {
    station.upstream.compactMap { url in
      guard let first = ownStation(at: url) else { return nil }
      return way(from: first, to: station.id, byID).map { (url, [station.id] + $0) }
    }
  }

  /// The shortest way from one station to another along what each of them plays; nil if there is none.
  private func way(
    from start: String, to end: String, _ byID: [String: StationDefinition]
  ) -> [String]? {
    var ways = [[start]]
    var known: Set<String> = [start]
    var next = 0
    while next < ways.count {
      let way = ways[next]
      next += 1
      guard let id = way.last, id != end else { return way }
      guard let station = byID[id] else { continue }
      for other in played(by: station) where known.insert(other).inserted {
        ways.append(way + [other])
      }
    }
    return nil
  }

  /// The stations of this file whose audio a station may play.
  private func played(by station: StationDefinition) -> [String] {
    station.upstream.compactMap(ownStation)
      + [station.fallback?.station, station.parent].compactMap(\.self)
  }

  /// The station that a URL names at this relay; nil for any other URL.
  func ownStation(at url: String) -> String? {
    guard let origin = URLText.origin(url), isOwn(origin) else { return nil }
    let path = URLText.path(url)
    return stations.first { "/\($0.id)" == path || $0.mounts.contains(path) }?.id
  }

  private func isOwn(_ origin: URLOrigin) -> Bool {
    if let url = server.publicURL, URLText.origin(url) == origin { return true }
    guard let address = SocketAddress(host: origin.host, port: origin.port) else { return false }
    return server.listen.contains { own in
      own == address || (own.port == address.port && own.isAny && address.isLoopback)
    }
  }
}

extension SocketAddress {
  fileprivate var isAny: Bool {
    switch self {
    case .ipv4(0, _), .ipv6(0, 0, _): true
    default: false
    }
  }

  fileprivate var isLoopback: Bool {
    switch self {
    case .ipv4(let address, _): address >> 24 == 127
    case .ipv6(0, 1, _): true
    default: false
    }
  }
}
