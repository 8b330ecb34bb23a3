/// What the API answers, and to whom: the whole table on one screen.
enum Route: Hashable {
  case stations
  case addStation
  case station(String)
  case changeStation(String)
  case removeStation(String)
  case command(StationCommand, String)
  case announce(String)
  case definitions
  case history(String)
  case stats
  case listeners
  case listener(UInt64)
  case kickListener(UInt64)
  case moveListener(UInt64)
  case metrics
  case events
  case healthy
  case ready
  case monitor(MonitorPage)
  case reload

  /// What only administrators may.
  var needsToken: Bool {
    switch self {
    case .stations, .station, .history, .stats, .metrics, .events, .healthy, .ready: false
    case .addStation, .changeStation, .removeStation, .command, .announce, .definitions: true
    case .listeners, .listener, .kickListener, .moveListener: true
    case .reload: true
    case .monitor(let page): page.needsToken
    }
  }

  /// Throws what says that there is nothing, or which methods there are.
  static func match(method: String, path: String) throws(APIError) -> Route {
    let routes = routes(at: path.split(separator: "/").map(String.init))
    guard !routes.isEmpty else { throw APIError.notFound(path) }
    // HEAD is GET to us; the server keeps the body to itself.
    let method = method == "HEAD" ? "GET" : method
    guard let route = routes.first(where: { $0.method == method }) else {
      throw APIError.wrongMethod(allowed: routes.map(\.method))
    }
    return route.route
  }

  private static func routes(at parts: [String]) -> [(method: String, route: Route)] {
    guard parts.starts(with: ["api", "v1"]) else {
      switch parts {
      case ["metrics"]: return [("GET", .metrics)]
      case ["events"]: return [("GET", .events)]
      case ["healthz"]: return [("GET", .healthy)]
      case ["readyz"]: return [("GET", .ready)]
      default:
        return MonitorPage.at(parts).map { [("GET", .monitor($0)), ("POST", .monitor($0))] } ?? []
      }
    }
    let rest = Array(parts.dropFirst(2))
    switch rest.count {
    case 1: return collection(rest[0])
    case 2 where rest == ["config", "reload"]: return [("POST", .reload)]
    case 2: return member(rest[0], rest[1])
    case 3 where rest[0] == "stations": return part(of: rest[1], rest[2])
    case 3 where rest[0] == "listeners" && rest[2] == "move":
      return UInt64(rest[1]).map { [("POST", .moveListener($0))] } ?? []
    default: return []
    }
  }

  private static func collection(_ name: String) -> [(method: String, route: Route)] {
    switch name {
    case "stations": [("GET", .stations), ("POST", .addStation)]
    case "definitions": [("GET", .definitions)]
    case "stats": [("GET", .stats)]
    case "listeners": [("GET", .listeners)]
    default: []
    }
  }

  private static func member(_ name: String, _ id: String) -> [(method: String, route: Route)] {
    switch name {
    case "stations":
      return [
        ("GET", .station(id)), ("PATCH", .changeStation(id)), ("DELETE", .removeStation(id)),
      ]
    case "listeners":
      guard let number = UInt64(id) else { return [] }
      return [("GET", .listener(number)), ("DELETE", .kickListener(number))]
    default: return []
    }
  }

  private static func part(of id: String, _ name: String) -> [(method: String, route: Route)] {
    if name == "history" { return [("GET", .history(id))] }
    if name == "metadata" { return [("PUT", .announce(id))] }
    return StationCommand(rawValue: name).map { [("POST", .command($0, id))] } ?? []
  }
}

/// What can be done to a station without changing it.
public enum StationCommand: String, Hashable, Sendable, CaseIterable {
  case start
  case stop
  case restart
}
