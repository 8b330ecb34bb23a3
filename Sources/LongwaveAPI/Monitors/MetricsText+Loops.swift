import Longwave
import Reactor
import Server
import Threads
import Timeshift

extension MetricsText {
  mutating func addRequests(_ server: ServerMetrics, _ rows: [String]) {
    let answers = server.requests.answers.map {
      (Self.label($0.key.route, rows), $0.key.status, $0.value)
    }
    add(
      "http_requests_total", .counter,
      "Requests, by the row of the API and the status of the answer.",
      answers.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map { route, status, count in
        (["route": route, "code": "\(status)"], Double(count))
      })
    let durations = server.requests.durations.map {
      (route: Self.label($0.key, rows), counts: $0.value)
    }
    addHistogram(
      "http_request_seconds", "From a request to the beginning of its answer.",
      durations.sorted { $0.route < $1.route }.map {
        Distribution(["route": $0.route], $0.counts, each: Self.boundsOfRoutes)
      })
    add(
      "refused_total", .counter, "Connections and requests that were refused, by the reason.",
      zip(RefusalReason.allCases, server.refusals).map { (["reason": $0.rawValue], Double($1)) })
    addHistogram(
      "first_byte_seconds", "From a request to listen to the first byte that was taken.",
      [Distribution([:], server.firstBytes)])
  }

  /// Every how many-th bound is told of routes, of which there are many.
  private static let boundsOfRoutes = 3

  private static func label(_ route: RequestRoute, _ rows: [String]) -> String {
    switch route {
    case .preflight: "OPTIONS"
    case .none: "none"
    case .challenge: "challenge"
    default: Int(route.number) < rows.count ? rows[Int(route.number)] : "unknown"
    }
  }

  mutating func addLoops(_ metrics: RelayMetrics) {
    let loops = metrics.server.loops + [metrics.ingest].compactMap(\.self)
    let turns: [(name: String, turns: DurationCounts)] =
      loops.map { ($0.name, $0.turns) } + [("storage", metrics.storage.turns)]
    add(
      "loop_busy_seconds_total", .counter, "Time that loops and the storage's thread were at work.",
      turns.map { (["loop": $0.name], $0.turns.seconds) })
    addHistogram(
      "loop_turn_seconds", "How long a turn of a loop took.",
      turns.map { Distribution(["loop": $0.name], $0.turns, each: 2) })
    add(
      "loop_late_slots_total", .counter, "Slots of 25 ms by which a loop was late.",
      loops.map { (["loop": $0.name], Double($0.slotsLate)) })
    addHistogram(
      "storage_write_seconds", "How long a write of a window took.",
      [Distribution([:], metrics.storage.writes)])
    addHistogram(
      "storage_sync_seconds", "How long a sync of a window took.",
      [Distribution([:], metrics.storage.syncs)])
    addOne(
      "loads_pending", .gauge, "Pieces of the past that are to be fetched from the disk.",
      Double(metrics.storage.loadsPending))
  }
}
