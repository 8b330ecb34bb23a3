import Longwave
import Server
import Timeshift
import Wire

// Operations with which administrators see and move listeners.
extension Operation {
  static let listeners: [Operation] = [
    Operation(
      "GET", "/api/v1/listeners", "listListeners", "Who listens, the longest first.",
      by: .administrators, [stationQuery], answers: .json("Listeners"), errors: [404]
    ) { call in
      let station = call.query["station"]
      if let station { _ = try await call.relay.stationSnapshot(station) }
      let all = await call.relay.listenerSnapshots()
      let shown = all.filter { station == nil || $0.station == station }
      return .madeJSON { ["listeners": .array(shown.map(\.json))] }
    },
    Operation(
      "GET", "/api/v1/listeners/{listener}", "getListener", "One listener.", by: .administrators,
      answers: .json("Listener"), errors: [404]
    ) { (call: Call, id: UInt64) in .json(200, try await listener(id, call).json) },
    Operation(
      "DELETE", "/api/v1/listeners/{listener}", "kickListener",
      "Ends a listener between two packets.", by: .administrators, answers: .nothing, errors: [404]
    ) { (call: Call, id: UInt64) in
      guard await call.relay.kick(id) else { throw RelayError.unknownListener(id) }
      return .nothing
    },
    Operation(
      "POST", "/api/v1/listeners/{listener}/move", "moveListener",
      "Lets a listener go on with another station, on the connection it has.", by: .administrators,
      takes: "Move", answers: .json("Listener"), errors: [400, 404, 409]
    ) { (call: Call, id: UInt64) in
      guard case .string(let station)? = try call.json["station"] else {
        throw APIError.badField("station", "name the station to go on with")
      }
      try await call.relay.move(id, to: station)
      return .json(200, try await listener(id, call).json)
    },
    Operation(
      "POST", "/api/v1/listeners/{listener}/seek", "seekListener", "Moves a listener in time.",
      by: .administrators, takes: "Seek", answers: .json("Listener"), errors: [400, 404, 409]
    ) { (call: Call, id: UInt64) in
      // A fault in the body is reported even when the listener does not exist.
      var zone = ZoneOffsets.utc
      if let listener = try? await listener(id, call) {
        zone = await call.relay.timeZone(of: listener.station)
      }
      let target = try SteeringBody.target(try call.json, now: Moment.now().wall, in: zone)
      return try await steer(id, target, call)
    },
    Operation(
      "POST", "/api/v1/listeners/{listener}/pause", "pauseListener",
      "Lets a listener's place wait.", by: .administrators, answers: .json("Listener"),
      errors: [404]
    ) { (call: Call, id: UInt64) in try await steer(id, .pause, call) },
    Operation(
      "POST", "/api/v1/listeners/{listener}/resume", "resumeListener",
      "Lets a paused listener go on where it stopped.", by: .administrators,
      answers: .json("Listener"), errors: [404]
    ) { (call: Call, id: UInt64) in try await steer(id, .resume, call) },
  ]

  static let stationQuery = Parameter("station", "Only of this station.")

  private static func steer(
    _ id: UInt64, _ steering: Steering, _ call: Call
  ) async throws -> APIResponse {
    try await call.relay.steer(listener: id, steering)
    return .json(200, try await listener(id, call).json)
  }

  private static func listener(_ id: UInt64, _ call: Call) async throws -> ListenerSnapshot {
    guard let listener = await call.relay.listenerSnapshots().first(where: { $0.id == id }) else {
      throw RelayError.unknownListener(id)
    }
    return listener
  }
}
