import Longwave
import Server
import Wire

// The operations that stream events as they happen.
extension Operation {
  static func watch(_ path: PathTemplate, _ name: String) -> Operation {
    Operation(
      "GET", path, name,
      "What happens, as server-sent events without end; the data of each is an Event, of one named missed a Missed.",
      by: .everybodyInPart,
      [
        stationQuery,
        Parameter(
          "kinds",
          "Only these kinds, with commas between them; figures are told only where they are named."),
        Parameter(
          "session",
          "Also what this session hears and where it is moved; without a station nothing else."),
        Parameter("Last-Event-ID", in: .header, "The last id seen: what came since is told first."),
      ], answers: .text("text/event-stream"), errors: [400, 404, 429]
    ) { call in try await events(call) }
  }

  private static func events(_ call: Call) async throws -> APIResponse {
    let station = call.query["station"]
    if let station { _ = try await call.relay.stationSnapshot(station) }
    let kinds = try Self.kinds(call.query["kinds"])
    let session = try Self.session(call.query["session"])
    if let session { try await call.admission.open(session, to: call.request.origin) }
    let filter = EventFilter(
      station: station, kinds: kinds, isIdentified: call.isAdmin, session: session)
    return .events(filter, after: try lastID(call.request.head.fields["Last-Event-ID"]))
  }

  /// Returns the kinds of events wanted; nil for all kinds.
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
