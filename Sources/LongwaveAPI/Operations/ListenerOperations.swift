import Longwave
import Server
import Timeshift
import Wire

// Operations with which administrators see and move listeners.
extension Operation {
  static let listeners: [Operation] = [
    Operation(
      "GET", "/api/v1/listeners", "listListeners", "The listeners, the longest first.",
      by: .administrators,
      [
        stationQuery,
        Parameter(
          "order", Schema.words(ListenerListing.Order.allCases.map(\.rawValue)),
          "The figure that the list is sorted by, the greatest first; seconds unless given."),
        Parameter(
          "limit", Schema.integer(1...ListenerListing.limitMax),
          "How many listeners; all unless given."),
        Parameter("after", "The next of the part before, in the same order."),
      ], answers: .json("Listeners"), errors: [400, 404]
    ) { call in
      let listing = try listing(call.query)
      if let station = listing.station { _ = try await call.relay.stationSnapshot(station) }
      let page = await call.relay.listeners(listing)
      return .madeJSON { page.json(in: listing.order) }
    },
    Operation(
      "GET", "/api/v1/stations/{station}/audience", "getAudience",
      "Counts of a station's listeners: by time behind live, by state and by player.",
      by: .administrators, answers: .json("Audience"), errors: [404]
    ) { (call: Call, station: String) in
      let audience = try await call.relay.audience(of: station)
      let now = Moment.now().wall
      return .madeJSON { audience.json(of: station, at: now) }
    },
    Operation(
      "GET", "/api/v1/listeners/{listener}", "getListener", "One listener.", by: .administrators,
      answers: .json("Listener"), errors: [404]
    ) { (call: Call, id: UInt64) in .json(200, try await call.relay.listenerSnapshot(id).json) },
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
      return .json(200, try await call.relay.listenerSnapshot(id).json)
    },
    Operation(
      "POST", "/api/v1/listeners/{listener}/seek", "seekListener", "Moves a listener in time.",
      by: .administrators, takes: "Seek", answers: .json("Listener"), errors: [400, 404, 409]
    ) { (call: Call, id: UInt64) in
      // A fault in the body is reported even when the listener does not exist.
      var zone = ZoneOffsets.utc
      if let listener = try? await call.relay.listenerSnapshot(id) {
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
    Operation(
      "POST", "/api/v1/stations/{station}/pass", "makePass",
      "A token that stands for a listener's name and password in addresses, until a restart or 30 days without use.",
      takes: "ListenerCredentials", answers: .json("ListenerPass"),
      errors: [400, 401, 403, 404, 409, 429, 503]
    ) { (call: Call, station: String) in
      // It would open the station in place of what is to be tried.
      if call.query["token"] != nil {
        throw APIError.badParameter(
          "token", "has no place here; the body has what opens the station")
      }
      let credentials = try CredentialsBody.credentials(try call.json)
      guard try await call.relay.stationSnapshot(station).auth.contains("password") else {
        throw APIError(409, "no-password", "The station \(station) asks for no password.")
      }
      var asked = call.request
      asked.head.fields.set("Authorization", credentials.field)
      try await Call(
        request: asked, right: .stranger, admission: call.admission, shared: call.shared
      ).hearing(of: station)
      return .json(
        200,
        [
          "token": .string(
            call.admission.rights.passes.make(for: credentials, by: call.request.origin)),
          "seconds": .number(ListenerPasses.seconds),
        ])
    },
  ]

  static let stationQuery = Parameter("station", "Only of this station.")

  /// What a listener may send to a station that asks for it.
  static let listenerQuery = [
    Parameter("token", "The listener's token, where the station's auth: asks for one.")
  ]

  private static func listing(_ query: HTTPQuery) throws(APIError) -> ListenerListing {
    var listing = ListenerListing(station: query["station"])
    if let text = query["order"] {
      guard let order = ListenerListing.Order(rawValue: text) else {
        let words = ListenerListing.Order.allCases.map(\.rawValue).joined(separator: ", ")
        throw APIError.badParameter("order", "write one of \(words)")
      }
      listing.order = order
    }
    if query["limit"] != nil { listing.limit = try query.limit(upTo: ListenerListing.limitMax) }
    if let text = query["after"] {
      guard let after = ListenerRank(text, in: listing.order) else {
        throw APIError.badParameter("after", "write the next of the part before, in the same order")
      }
      listing.after = after
    }
    return listing
  }

  private static func steer(
    _ id: UInt64, _ steering: Steering, _ call: Call
  ) async throws -> APIResponse {
    try await call.relay.steer(listener: id, steering)
    return .json(200, try await call.relay.listenerSnapshot(id).json)
  }
}
