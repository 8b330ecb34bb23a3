import Longwave
import Reactor
import Server
import Threads
import Timeshift

extension Figures {
  static let requests: [Figure<Scrape>] =
    [
      Figure<Answers>(
        "longwave_http_requests_total",
        "Requests, by the row of the API and the status of the answer.", by: "code"
      ) { [("\($0.status)", $0.count)] }.by("route", \.route).each(\.answers),
      Figure(
        "longwave_http_request_seconds", "From a request to the beginning of its answer.",
        by: "route", \.durations),
    ] + waits.map { $0.of(\.metrics.server) }

  private static let waits: [Figure<ServerMetrics>] = [
    Figure(
      "longwave_refused_total", "Connections and requests that were refused, by the reason.",
      by: "reason"
    ) { zip(RefusalReason.allCases, $0.refusals).map { ($0.rawValue, $1) } },
    Figure(
      "longwave_first_byte_seconds", "From a request to listen to the first byte that was taken.",
      \.firstBytes),
  ]

  static let loops: [Figure<Scrape>] = (turns + disks).map { $0.of(\.metrics) }

  private static let turns: [Figure<RelayMetrics>] = [
    Figure(
      "longwave_loop_busy_seconds_total", "Time that loops and the storage's thread were at work.",
      by: "loop"
    ) { $0.turns.map { ($0.name, $0.turns.seconds) } },
    Figure("longwave_loop_turn_seconds", "How long a turn of a loop took.", by: "loop") {
      $0.turns.map { ($0.name, FewerBounds(step: 2, counts: $0.turns)) }
    },
    Figure("longwave_loop_late_slots_total", "Slots of 25 ms by which a loop was late.", by: "loop")
    { $0.loops.map { ($0.name, $0.slotsLate) } },
  ]

  private static let disks: [Figure<RelayMetrics>] = [
    Figure(
      "longwave_storage_write_seconds", "How long a write of a window took.", \.storage.writes),
    Figure("longwave_storage_sync_seconds", "How long a sync of a window took.", \.storage.syncs),
    Figure(
      "longwave_loads_pending", "Pieces of the past that are to be fetched from the disk.",
      \.storage.loadsPending),
  ]

  static let webhooks: [Figure<Scrape>] = webhook.map {
    $0.by("webhook") { "\($0.number)" }.each(\.metrics.figures.webhooks)
  }

  private static let webhook: [Figure<WebhookState>] = [
    Figure("longwave_webhook_deliveries_total", "Events that web services were told.", by: "result")
    { [("ok", $0.delivered), ("failed", $0.failed)] },
    Figure("longwave_webhook_queued", "Events that wait.", \.queued),
    Figure("longwave_webhook_lost_total", "Events that are not told.", \.lost),
  ]
}

extension RelayMetrics {
  fileprivate var loops: [LoopFigures] { server.loops + [ingest].compactMap(\.self) }

  fileprivate var turns: [(name: String, turns: DurationCounts)] {
    loops.map { ($0.name, $0.turns) } + [("storage", storage.turns)]
  }
}

/// How many requests of a row were answered with a status.
private struct Answers: Sendable {
  var route: String
  var status: UInt16
  var count: UInt64
}

extension Scrape {
  fileprivate var answers: [Answers] {
    metrics.server.requests.answers.map {
      Answers(route: name(of: $0.key.route), status: $0.key.status, count: $0.value)
    }.sorted { ($0.route, $0.status) < ($1.route, $1.status) }
  }

  /// Of many routes only every third bound is told.
  fileprivate var durations: [(word: String, value: FewerBounds)] {
    metrics.server.requests.durations.map {
      (word: name(of: $0.key), value: FewerBounds(step: 3, counts: $0.value))
    }.sorted { $0.word < $1.word }
  }

  private func name(of route: RequestRoute) -> String {
    switch route {
    case .preflight: "OPTIONS"
    case .none: "none"
    case .challenge: "challenge"
    default: Int(route.number) < rows.count ? rows[Int(route.number)] : "unknown"
    }
  }
}
