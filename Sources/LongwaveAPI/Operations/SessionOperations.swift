import Longwave
import Server
import Timeshift
import Wire

// Operations on listening sessions, which their own listeners steer.
extension Operation {
  /// The most bytes of a steering's body; its four fields and their values need no more.
  private static let steeringBytesMax = 1024

  static let sessions: [Operation] = [
    Operation(
      "DELETE", "/api/v1/sessions", "forgetSessions",
      "Forgets the listening sessions without a connection, stored ones included.",
      by: .administrators, answers: .nothing
    ) { call in
      try await call.relay.forgetSessions()
      return .nothing
    },
    Operation(
      "GET", "/api/v1/sessions/{token}", "getSession",
      "A listening session, which its token gives the right to see and steer.", by: .tokenHolders,
      answers: .json("Session"), errors: [404, 409, 429]
    ) { (call: Call, token: SessionToken) in
      try await call.admission.open(token, to: call.request.origin)
      return .json(200, try await call.relay.steer(session: token, nil).json)
    },
    Operation(
      "POST", "/api/v1/sessions/{token}", "steerSession",
      "Pauses a session, moves it in time, or lets it go on; the answer follows the change. With a station, "
        + "a missing session begins before its listener connects.",
      by: .tokenHolders, takes: "Steering", upTo: steeringBytesMax, answers: .json("Session"),
      errors: [400, 404, 409, 413, 429]
    ) { (call: Call, token: SessionToken) in
      let body = try SteeringBody.Session(call.json)
      if let station = body.station,
        try await call.admission.mayBegin(token, for: call.request.origin)
      {
        try await call.relay.begin(session: token, at: station, for: call.request.origin)
      } else {
        try await call.admission.open(token, to: call.request.origin)
      }
      let session = try await call.relay.steer(session: token, nil)
      if let station = body.station, station != session.station {
        throw APIError.badField(
          "station", "is \(session.station) for this session; connect with it to move it")
      }
      guard body.isSteering else { return .json(200, session.json) }
      let zone = await call.relay.timeZone(of: session.station)
      let steering = try SteeringBody.action(body.json, now: Moment.now().wall, in: zone)
      return .json(200, try await call.relay.steer(session: token, steering).json)
    },
  ]
}
