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
    let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    let found = Operation.all.compactMap { operation in
      operation.path.match(parts).flatMap { operation.route?($0) }.map { (operation, $0) }
    }
    guard !found.isEmpty else { throw APIError.notFound(path) }
    // HEAD is GET to us; the server keeps the body to itself.
    let method = method == "HEAD" ? "GET" : method
    guard let (operation, route) = found.first(where: { $0.0.method == method }) else {
      throw APIError.wrongMethod(allowed: found.map(\.0.method))
    }
    return (route, operation.audience)
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
