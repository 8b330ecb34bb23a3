import Library
import Longwave
import Server
import Synchronization
import Timeshift
import Wire

// Operations on what programmes have played.
extension Operation {
  static let plays: [Operation] = [
    Operation(
      "GET", "/api/v1/plays", "listPlays",
      "What programmes have played and who heard it, newest first; as CSV all of it, without an end of pages.",
      by: .administrators, endsWithClient: true,
      [
        Parameter("station", "Only this station's, and times of day in its time zone."),
        Parameter("from", "Only what began at this time or later, such as 18:00 or -24h."),
        Parameter("to", "Only what began before this time."),
        Parameter("format", Schema.words(["json", "csv"]), "json unless given."),
        Parameter(
          "limit", Schema.integer(1...PlayQuery.limitMax),
          "The most plays of a page; 100 unless given."
        ),
        Parameter("after", "What the page begins behind, as next says."),
      ],
      answers: Answer(
        status: 200,
        content: [("application/json", Schema.named("Plays")), ("text/csv", Schema.text)]),
      errors: [400, 404, 503]
    ) { call in
      let query = try await query(call)
      switch try word(call.query, "format", PlayFormat.json) {
      case .json:
        let page = try await call.relay.plays(query)
        return .madeJSON {
          ["plays": .array(page.plays.map(\.json)), "next": JSON(page.next?.text)]
        }
      case .csv:
        for name in ["limit", "after"] where call.query[name] != nil {
          throw APIError.badParameter(name, "is for pages, and CSV is all of it; leave it out")
        }
        return try await table(of: query, in: call.relay)
      }
    }
  ]

  private enum PlayFormat: String, CaseIterable {
    case json, csv
  }

  private static func query(_ call: Call) async throws -> PlayQuery {
    let station = call.query["station"]
    var zone = ZoneOffsets.utc
    if let station { zone = await call.relay.timeZone(of: station) }
    let now = Moment.now().wall
    func time(_ name: String) throws(APIError) -> WallTime? {
      guard let text = call.query[name] else { return nil }
      do throws(InvalidValue) {
        return try ValueRule<WallTime>.time(now: now, in: zone).parse(text)
      } catch {
        throw APIError.badParameter(name, error.message)
      }
    }
    var query = PlayQuery(station: station, from: try time("from"), to: try time("to"))
    if let from = query.from, let to = query.to, to <= from {
      throw APIError.badParameter("to", "write a time behind from")
    }
    query.limit = try call.query.limit(upTo: PlayQuery.limitMax)
    if let text = call.query["after"] {
      guard let place = PlayQuery.Place(text) else {
        throw APIError.badParameter("after", "write what next said")
      }
      query.after = place
    }
    return query
  }

  /// Answers with all plays, of which no more than some pages are in memory.
  private static func table(
    of query: PlayQuery, in relay: any RelayControl
  ) async throws -> APIResponse {
    var query = query
    query.limit = PlayQuery.limitMax
    // The first page shows whether there is anything to be had.
    let first = try await relay.plays(query)
    let rest = Mutex<PlayRest>(.first(first))
    return .pieces(
      PieceOrder(
        mediaType: PlayCSV.mediaType, savedName: "plays\(query.station.map { "-\($0)" } ?? "").csv"
      ) { [query] in
        switch rest.withLock(\.self) {
        case .first(let page):
          rest.withLock { $0 = page.next.map { .behind($0) } ?? .none }
          return Array(PlayCSV.head.utf8) + PlayCSV.lines(page.plays)
        case .behind(let place):
          var query = query
          query.after = place
          let page = try await relay.plays(query)
          rest.withLock { $0 = page.next.map { .behind($0) } ?? .none }
          return PlayCSV.lines(page.plays)
        case .none: return nil
        }
      })
  }

  /// What of a table is still to be sent.
  private enum PlayRest: Sendable {
    case first(PlayPage)
    case behind(PlayQuery.Place)
    case none
  }
}
