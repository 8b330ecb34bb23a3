import Longwave
import Reactor
import Server
import Threads
import Timeshift

extension Figures {
  static let server: [Figure<Scrape>] =
    (about + connections + sending + hls + times).map { $0.of(\.metrics.figures) }
    + (kept + process).map { $0.of(\.metrics) } + lanes.map { $0.of(\.metrics.figures.threads) }

  private static let about: [Figure<RelayFigures>] = [
    Figure("longwave_info", "The running version.", by: "version") { [($0.version, 1)] },
    Figure("longwave_uptime_seconds", "Time since the start.", \.uptime),
    Figure("longwave_stations", "Stations known.", \.stations),
    Figure(
      "longwave_left_out",
      "1: it runs without some of what is stored, since it died at its last starts."
    ) { $0.leftOut != nil },
    Figure(
      "longwave_database_failed",
      "1 while the database on the disk lacks rows, which are in memory."
    ) { $0.databaseFailure != nil },
  ]

  private static let connections: [Figure<RelayFigures>] = [
    Figure("longwave_listeners_max", "Listeners possible at once.", \.server.listenersMax),
    Figure("longwave_listeners_stalled", "Listeners whose socket is full.", \.server.blocked),
    Figure("longwave_connections", "Open connections.", \.server.connections),
    Figure(
      "longwave_connections_max", "Connections over the network possible at once.",
      \.server.connectionsMax
    ),
    Figure("longwave_watchers", "Clients of the event stream.", \.server.watchers),
    Figure(
      "longwave_watchers_max", "Clients of the event stream possible at once.", \.server.watchersMax
    ),
    Figure(
      "longwave_files_open", "Files on demand that are open, each for all who hear it.",
      \.server.filesOpen
    ),
    Figure("longwave_files_open_max", "Files on demand possible at once.", \.server.filesOpenMax),
    Figure(
      "longwave_prompt_slots_full_total",
      "Slots of 25 ms in which clips and bursts of files waited for each other.",
      \.server.promptSlotsFull),
    Figure("longwave_connections_accepted_total", "Connections made.", \.server.accepted),
    Figure(
      "longwave_connections_refused_total", "Connections refused at a limit.", \.server.refused),
    Figure("longwave_tls_handshakes_total", "TLS handshakes, by how they ended.", by: "result") {
      let ended = $0.server.handshakes
      return [
        ("full", ended.full), ("resumed", ended.resumed), ("failed", ended.failed),
        ("abandoned", ended.abandoned),
      ]
    },
    Figure(
      "longwave_tls_certificate_expiry_timestamp_seconds",
      "When a certificate ends, in Unix seconds, by its first name.", by: "name"
    ) { ends(of: $0.certificates) },
  ]

  /// When certificates end. A name with several, of keys of several kinds, is as good as the first that ends.
  private static func ends(of certificates: [TLSCertificate]) -> [(word: String, value: Int64)] {
    var ends: [(word: String, value: Int64)] = []
    for certificate in certificates {
      let name = certificate.names.first ?? certificate.file
      if let index = ends.firstIndex(where: { $0.word == name }) {
        ends[index].value = min(ends[index].value, certificate.validUntil)
      } else {
        ends.append((name, certificate.validUntil))
      }
    }
    return ends
  }

  private static let sending: [Figure<RelayFigures>] = [
    Figure("longwave_sent_bytes_total", "Bytes sent to listeners.", \.server.bytesSent),
    Figure("longwave_clips", "Clips being sent.", \.server.clips),
    Figure("longwave_clips_total", "Clips asked for.", \.server.clipsTotal),
    Figure("longwave_clip_bytes_total", "Bytes of clips sent.", \.server.clipBytes),
    Figure("longwave_writes_total", "Writes to listeners.", \.server.writes),
    Figure("longwave_would_blocks_total", "Writes a full socket cut short.", \.server.wouldBlocks),
    Figure("longwave_skips_total", "Listeners moved forward as too slow.", \.server.skips),
    Figure("longwave_overruns_total", "Listeners whose place left the window.", \.server.overruns),
  ]

  private static let hls: [Figure<RelayFigures>] = [
    Figure<(answer: HLSFigures.Answer, count: Int)>(
      "longwave_hls_answers_total",
      "Playlists and segments of HLS that were asked for, with those that were refused.", \.count
    ).by("kind", \.answer.kind.rawValue).by("status") { String($0.answer.status) }
      .each { figures in
        // Rates of what has not come yet begin at zero.
        let usual = HLSFigures.Kind.allCases.map {
          (HLSFigures.Answer(kind: $0, status: 200), 0)
        }
        return figures.server.hlsAnswers.merging(usual) { told, _ in told }
          .map { ($0.key, $0.value) }
          .sorted { ($0.0.kind.rawValue, $0.0.status) < ($1.0.kind.rawValue, $1.0.status) }
      },
    Figure("longwave_hls_sent_bytes_total", "Bytes of segments of HLS sent.", \.server.hlsBytes),
    Figure("longwave_hls_waiting", "Playlists that wait for a segment.", \.server.hlsWaiting),
    Figure(
      "longwave_hls_playlists_made_total", "Playlists made; all who ask for the same get one.",
      \.server.hlsPlaylistsMade),
  ]

  private static let times: [Figure<RelayFigures>] = [
    Figure(
      "longwave_listener_lag_seconds",
      "Last byte taken to the live edge; each listener every 10 s.", \.places.lag),
    Figure(
      "longwave_listener_offset_seconds", "Play point to the live edge; each listener every 10 s.",
      \.places.offset),
    Figure("longwave_session_seconds", "How long those listened who have left.", \.sessions),
    Figure(
      "longwave_log_lines_lost_total", "Lines the access and playlist logs have not got.",
      \.logLinesLost),
    Figure(
      "longwave_wrong_passwords_total",
      "Wrong passwords and tokens of administrators, sources and listeners.", \.wrongPasswords),
  ]

  private static let kept: [Figure<RelayMetrics>] = [
    Figure("longwave_sessions", "Listening sessions that are kept.", by: "state") {
      [("connected", $0.server.sessions.connected), ("away", $0.server.sessions.away)]
    },
    Figure("longwave_recordings", "Recordings that are listed.", by: "state") { metrics in
      Recording.State.allCases.map { ($0.rawValue, metrics.recordings[$0] ?? 0) }
    },
    Figure(
      "longwave_config_last_reload_successful", "0 after a reload that took nothing over.",
      \.configuration.isLastSuccessful),
    Figure(
      "longwave_config_last_reload_timestamp_seconds",
      "When a configuration was last taken over, at the start or by a reload.",
      \.configuration.takenOverAt.seconds),
  ]

  private static let process: [Figure<RelayMetrics>] =
    [
      Figure("longwave_resident_memory_bytes", "Resident memory.", \.memory),
      Figure("longwave_cpu_seconds_total", "User and system time.", \.cpuSeconds),
      Figure("longwave_open_files", "Open files.", \.openFiles),
      Figure("longwave_open_files_max", "Limit on open files.", \.openFilesMax),
      Figure("longwave_threads", "Threads of the process.", \.threads),
      // Names that dashboards of any program ask for.
      Figure("process_cpu_seconds_total", "User and system time.", \.cpuSeconds),
      Figure("process_resident_memory_bytes", "Resident memory.", \.memory),
      Figure("process_open_fds", "Open files.", \.openFiles),
      Figure("process_max_fds", "Limit on open files.", \.openFilesMax),
    ].map { (row: Figure<ProcessFigures>) in row.of(\.figures.process) } + [
      Figure(
        "process_start_time_seconds", "When the relay was started.", \.figures.startedAt.seconds)
    ]

  private static let lanes: [Figure<ThreadFigures>] =
    [
      Figure("longwave_named_threads", "Threads of the relay's own, by what they do.", by: "name") {
        $0.kinds.map { ($0.name, $0.count) }
      }
    ]
    + [
      Figure("longwave_lane_threads", "Threads of a lane at work.", \.busy),
      Figure("longwave_lane_threads_max", "Threads of a lane possible at once.", \.limit),
      Figure("longwave_lane_waiting", "Works that wait for a thread of a lane.", \.waiting),
    ].map { (row: Figure<ThreadFigures.Lane>) in row.by("lane", \.name).each(\.lanes) }
}
