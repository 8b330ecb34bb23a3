import Server
import Wire

/// What the API can be asked, with what the path says. Which path means what is said in `Operation.all`.
enum Route: Hashable, Sendable {
  case stations
  case addStation
  case station(String)
  case changeStation(String)
  case removeStation(String)
  case command(StationCommand, String)
  case announce(String)
  case definitions
  case history(String)
  case files(String)
  case stats
  case description
  case listeners
  case listener(UInt64)
  case kickListener(UInt64)
  case moveListener(UInt64)
  case steerListener(UInt64, ListenerSteering)
  case session(SessionToken)
  case steerSession(SessionToken)
  case forgetSessions
  case bans
  case addBan
  case liftBan(Int64)
  case recordings
  case startRecording
  case stopRecording(Int64)
  case metrics
  case events
  case healthy
  case ready
  case monitor(MonitorPage)
  case reload

  /// The route, and who may take it. Throws what says that there is nothing, or which methods there are.
  static func match(
    method: String, path: String
  ) throws(APIError) -> (route: Route, audience: Operation.Audience) {
    let found = Operation.at(path)
    guard !found.isEmpty else { throw APIError.notFound(path) }
    // HEAD is GET to us; the server keeps the body to itself. It changes nothing (RFC 9110, 9.2.1), whatever a GET does.
    let isHead = method == "HEAD"
    let method = isHead ? "GET" : method
    guard let (operation, route) = found.first(where: { $0.0.method == method }),
      !(isHead && route.hasEffect)
    else {
      throw APIError.wrongMethod(allowed: found.map(\.0.method))
    }
    return (route, operation.audience)
  }
}

extension Operation {
  /// More parts than any path of ours has.
  private static let partsMax = 16

  /// What can be done at a path, by any method.
  fileprivate static func at(_ path: String) -> [(Operation, Route)] {
    let slash = UInt8(ascii: "/")
    let parts = path.utf8.split(separator: slash, maxSplits: partsMax).map { String(Substring($0)) }
    return all.compactMap { operation in
      operation.path.match(parts).flatMap { operation.route?($0) }.map { (operation, $0) }
    }
  }

  /// How long the body of a request may be.
  static func bodyBytesMax(method: String, path: String) -> Int {
    at(path).first { $0.0.method == method }?.0.bodyBytesMax
      ?? ServerConfiguration.shortBodyBytesMax
  }
}

extension Route {
  /// Whether asking changes anything.
  var hasEffect: Bool {
    switch self {
    case .stations, .station, .definitions, .history, .files, .stats, .description, .listeners,
      .listener, .session, .bans, .recordings, .metrics, .events, .healthy, .ready:
      false
    case .monitor(let page): page.hasEffect
    case .addStation, .changeStation, .removeStation, .command, .announce, .kickListener,
      .moveListener, .steerListener, .steerSession, .forgetSessions, .addBan, .liftBan,
      .startRecording,
      .stopRecording, .reload:
      true
    }
  }

  /// Whether administrators are shown more there than everybody is.
  var showsAdministratorsMore: Bool {
    switch self {
    case .stations, .station, .history, .files, .stats, .metrics, .events, .ready: true
    default: false
    }
  }

  /// Whether it is a page of Icecast's or SHOUTcast's, which take forms.
  var isMonitor: Bool {
    if case .monitor = self { true } else { false }
  }

  /// Whether the path has a secret that opens it, and nothing that a browser sends on its own does: web players steer
  /// their listeners' sessions from pages of any site.
  var needsOnlyItsToken: Bool {
    if case .steerSession = self { true } else { false }
  }
}

/// How a listener can be moved in time.
enum ListenerSteering: String, Hashable, Sendable, CaseIterable {
  case seek
  case pause
  case resume
}

/// What can be done to a station without changing it.
public enum StationCommand: String, Hashable, Sendable, CaseIterable {
  case start
  case stop
  case restart
}
