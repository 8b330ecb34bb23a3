import Longwave
import Server
import Timeshift
import Wire

// The operations that stream events as they happen.
extension Operation {
  static func watch(_ path: PathTemplate, _ name: String) -> Operation {
    Operation(
      "GET", path, name,
      "Server-sent events without end; the data of each is an Event, and a Missed for the event missed.",
      by: .everybodyInPart,
      [
        stationQuery,
        Parameter(
          "kinds",
          "Only these kinds, separated by commas; figures come only where they are named, and sound only with the right to hear the station."
        ),
        Parameter(
          "session",
          "Also the titles and moves of this session; without a station nothing else."),
        Parameter(
          "rate",
          "Most levels and spectra a second, 1 to 30; else 20 levels and 30 spectra."),
        Parameter(
          "offset",
          "Seconds behind live of which levels, spectrum and sound are told; a session has its own."
        ),
        Parameter("at", "The same, as a moment: what was on air then, and so on from there."),
        Parameter("Last-Event-ID", in: .header, "The last id seen; later events come first."),
      ] + listenerQuery, answers: .text("text/event-stream"),
      errors: [400, 401, 403, 404, 429, 503]
    ) { call in try await events(call) }
  }

  private static func events(_ call: Call) async throws -> APIResponse {
    let station = call.query["station"]
    if let station { _ = try await call.relay.stationSnapshot(station) }
    let kinds = try Self.kinds(call.query["kinds"])
    let session = try Self.session(call.query["session"])
    if let session { try await call.admission.open(session, to: call.request.origin) }
    let moment = try await moment(call, station: station, kinds: kinds, session: session)
    let seconds =
      isOfSound(kinds) ? try await admitToSound(call, of: station, at: moment) : nil
    let filter = EventFilter(
      station: station, kinds: kinds, isIdentified: call.isAdmin, session: session,
      moment: moment, rate: try rate(call.query["rate"]))
    return .events(
      filter, after: try lastID(call.request.head.fields["Last-Event-ID"]), for: seconds)
  }

  private static func isOfSound(_ kinds: Set<String>?) -> Bool {
    !(kinds ?? []).isDisjoint(with: ["levels", "spectrum", "sound"])
  }

  /// Each station whose sound is told is decoded for it. So strangers name one, and may hear it.
  ///
  /// - Returns: the seconds for which they may; nil without end.
  private static func admitToSound(
    _ call: Call, of station: String?, at moment: FigureMoment?
  ) async throws -> Double? {
    if call.isAdmin { return nil }
    guard let station else {
      throw APIError.badParameter(
        "station", "name a station; only administrators may watch the sound of all")
    }
    if case .behind(let milliseconds)? = moment {
      return try await call.hearing(of: station, at: .behind(Double(milliseconds) / 1000)).seconds
    }
    // A session is where its listener was let in.
    return try await call.hearing(of: station).seconds
  }

  /// Returns the kinds of events wanted; nil for all kinds.
  private static func kinds(_ text: String?) throws(APIError) -> Set<String>? {
    guard let text else { return nil }
    let kinds = text.split(separator: ",").map(String.init)
    if kinds.isEmpty {
      throw APIError.badParameter("kinds", "names none; write \(ValueRule.watchedKinds)")
    }
    do throws(InvalidValue) {
      for kind in kinds { _ = try ValueRule.watchedKind.parse(kind) }
    } catch {
      throw APIError.badParameter("kinds", error.message)
    }
    return Set(kinds)
  }

  private static func rate(_ text: String?) throws(APIError) -> Double? {
    guard let text else { return nil }
    guard let rate = Double(text), (1...30).contains(rate) else {
      throw APIError.badParameter("rate", "write figures a second, from 1 to 30")
    }
    return rate
  }

  /// Returns the place of which figures of sound are wanted; nil for the live edge.
  private static func moment(
    _ call: Call, station: String?, kinds: Set<String>?, session: SessionToken?
  ) async throws -> FigureMoment? {
    let isOfSound = isOfSound(kinds)
    let moment: FigureMoment?
    if let text = call.query["offset"] {
      guard let offset = DurationText.parse(text), offset >= 0 else {
        throw APIError.badParameter("offset", "write how far behind live, such as 90s or 10m")
      }
      moment = offset == 0 ? nil : .behind(Int64(bounded: (offset * 1000).rounded()))
    } else if let text = call.query["at"], let station {
      moment = .behind(try await milliseconds(since: text, of: station, call))
    } else {
      moment = isOfSound ? session.map(FigureMoment.session) : nil
    }
    guard moment != nil, isOfSound else { return nil }
    guard station != nil else {
      throw APIError.badParameter("station", "name the station to watch in the past")
    }
    guard await call.relay.hasRoomForMoment else {
      var error = APIError(
        503, "too-many-places", "Too many places in the past are being measured; ask again later.")
      error.headers["Retry-After"] = "30"
      throw error
    }
    return moment
  }

  /// Returns how far behind live a moment is; from then on, what comes is as far behind.
  private static func milliseconds(
    since text: String, of station: String, _ call: Call
  ) async throws -> Int64 {
    let now = Moment.now().wall
    do {
      let at = try WallTime(
        parsing: text, now: now, in: await call.relay.timeZone(of: station))
      return max(0, now.milliseconds - at.milliseconds)  // bounded: both are within their calendar
    } catch {
      throw APIError.badParameter("at", "\"\(text.prefix(64))\" \(error)")
    }
  }

  private static func session(_ text: String?) throws(APIError) -> SessionToken? {
    guard let text else { return nil }
    guard let token = SessionToken(text) else {
      throw APIError.badParameter("session", "write 8 to 64 letters, digits, - and _")
    }
    return token
  }

  private static func lastID(_ text: String?) throws(APIError) -> UInt64? {
    guard let text, !text.isEmpty else { return nil }
    guard let id = UInt64(text) else {
      throw APIError.badParameter("Last-Event-ID", "write the id of an event, a whole number")
    }
    return id
  }
}
