import Server
import Timeshift
import Wire

// What the routes answer, each in its few lines.
extension APIRouter {
  func administer(
    _ route: Route, _ request: APIRequest
  ) async throws(APIError) -> APIResponse {
    switch route {
    case .addStation:
      let station = try StationBody.station(try request.json)
      return .json(201, try await relay.add(station, from: request.origin).json(identified: true))
    case .changeStation(let id):
      let changed = try await relay.change(id, by: try request.json, from: request.origin)
      return .json(200, changed.json(identified: true))
    case .removeStation(let id):
      try await relay.remove(id)
      return .nothing
    case .command(let command, let id):
      return .json(200, try await relay.perform(command, on: id).json(identified: true))
    case .announce(let id):
      try await relay.announce(try TitleBody.title(try request.json), on: id)
      return .json(200, try await relay.stationSnapshot(id).json(identified: true))
    default: throw APIError.notFound(request.head.path)
    }
  }

  func listeners(
    _ route: Route, _ request: APIRequest
  ) async throws(APIError) -> APIResponse {
    switch route {
    case .listeners:
      let station = request.head.query["station"]
      if let station { _ = try await relay.stationSnapshot(station) }
      let all = await relay.listenerSnapshots().filter { station == nil || $0.station == station }
      return .madeJSON { ["listeners": .array(all.map(\.json))] }
    case .listener(let id): return .json(200, try await listener(id).json)
    case .kickListener(let id):
      guard await relay.kick(id) else { throw APIError.unknownListener("\(id)") }
      return .nothing
    case .moveListener(let id):
      guard case .string(let station)? = try request.json["station"] else {
        throw APIError.badField("station", "name the station to go on with")
      }
      try await relay.move(id, to: station)
      return .json(200, try await listener(id).json)
    case .steerListener(let id, let steering):
      switch steering {
      case .pause: try await relay.steer(listener: id, .pause)
      case .resume: try await relay.steer(listener: id, .resume)
      case .seek:
        // What is written wrong is told also of a listener that is not there.
        var zone = ZoneOffsets.utc
        if let listener = try? await listener(id) {
          zone = await relay.timeZone(of: listener.station)
        }
        let target = try SteeringBody.target(try request.json, now: Moment.now().wall, in: zone)
        try await relay.steer(listener: id, target)
      }
      return .json(200, try await listener(id).json)
    default: throw APIError.notFound(request.head.path)
    }
  }

  func recordings(
    _ route: Route, _ request: APIRequest
  ) async throws(APIError) -> APIResponse {
    switch route {
    case .recordings:
      let planned = await relay.plannedRecordings()
      let recordings = await relay.recordings()
      return .madeJSON {
        ["recordings": .array(recordings.map(\.json)), "planned": .array(planned.map(\.json))]
      }
    case .startRecording:
      let body = try request.json
      var zone = ZoneOffsets.utc
      if case .string(let station)? = body["station"] { zone = await relay.timeZone(of: station) }
      let options = try RecordingBody.options(body, now: Moment.now().wall, in: zone)
      return .json(201, try await relay.record(options).json)
    case .stopRecording(let id):
      guard try await relay.stopRecording(id) else { throw APIError.unknownRecording(id) }
      return .nothing
    default: throw APIError.notFound(request.head.path)
    }
  }

  func bans(
    _ route: Route, _ request: APIRequest
  ) async throws(APIError) -> APIResponse {
    switch route {
    case .bans:
      let bans = await relay.bans()
      return .madeJSON { ["bans": .array(bans.map(\.json))] }
    case .addBan:
      let ban = try BanBody(try request.json, now: Moment.now().wall)
      return .json(201, try await relay.ban(ban).json)
    case .liftBan(let id):
      guard try await relay.liftBan(id) else { throw APIError.unknownBan(id) }
      return .nothing
    default: throw APIError.notFound(request.head.path)
    }
  }

  private func listener(_ id: UInt64) async throws(APIError) -> ListenerSnapshot {
    guard let listener = await relay.listenerSnapshots().first(where: { $0.id == id }) else {
      throw APIError.unknownListener("\(id)")
    }
    return listener
  }

  /// How many titles are shown unless asked otherwise.
  private static let historyDefault = 100

  func history(
    _ id: String, _ query: HTTPQuery, _ isAdmin: Bool
  ) async throws(APIError) -> APIResponse {
    var limit = Self.historyDefault
    if let text = query["limit"] {
      guard let number = Int(text), (1...HistoryEntry.limitMax).contains(number) else {
        throw APIError.badParameter("limit", "write a number from 1 to \(HistoryEntry.limitMax)")
      }
      limit = number
    }
    let titles =
      isAdmin
      ? Versioned(value: try await relay.history(of: id, limit: limit))
      : try await figures.history(of: id)
    return .madeList(
      titles.key("history \(id) \(limit)"), "history", Array(titles.value.prefix(limit)),
      bytesMax: HistoryEntry.bytesMax, \.json)
  }

  static func ready(_ obstacles: [String]) -> APIResponse {
    if obstacles.isEmpty { return .text(200, "ready\n") }
    return .text(503, obstacles.joined(separator: "\n") + "\n")
  }

  func events(
    _ request: APIRequest, _ isAdmin: Bool
  ) async throws(APIError) -> APIResponse {
    let query = request.head.query
    let station = query["station"]
    if let station { _ = try await relay.stationSnapshot(station) }
    let filter = EventFilter(
      station: station, kinds: try Self.kinds(query["kinds"]), isIdentified: isAdmin)
    return .events(filter, after: try Self.lastID(request.head.fields["Last-Event-ID"]))
  }

  /// nil: all kinds.
  private static func kinds(_ text: String?) throws(APIError) -> Set<String>? {
    guard let text else { return nil }
    let kinds = text.split(separator: ",").map(String.init)
    for kind in kinds where RelayEvent.Kind(rawValue: kind) == nil {
      let known = RelayEvent.Kind.allCases.map(\.rawValue)
      let meant = KeySuggestion.nearest(to: kind, among: known)
      throw APIError.badParameter(
        "kinds", "\"\(kind)\" is unknown" + (meant.map { "; did you mean \($0)?" } ?? ""))
    }
    return Set(kinds)
  }

  private static func lastID(_ text: String?) throws(APIError) -> UInt64? {
    guard let text, !text.isEmpty else { return nil }
    guard let id = UInt64(text) else {
      throw APIError.badParameter("Last-Event-ID", "write the id of an event, a whole number")
    }
    return id
  }
}
