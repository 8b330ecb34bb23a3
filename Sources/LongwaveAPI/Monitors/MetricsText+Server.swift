import Longwave
import Reactor
import Server
import Threads
import Timeshift

extension MetricsText {
  mutating func addServer(_ metrics: RelayMetrics) {
    let figures = metrics.figures
    let server = figures.server
    add("info", .gauge, "The running version.", [(["version": figures.version], 1)])
    addOne("uptime_seconds", .gauge, "Time since the start.", figures.uptime)
    addOne("stations", .gauge, "Stations known.", Double(figures.stations))
    addOne(
      "left_out", .gauge,
      "1: it runs without some of what is stored, since it died at its last starts.",
      figures.leftOut == nil ? 0 : 1)
    addOne(
      "database_failed", .gauge,
      "1 while the database on the disk lacks rows, which are in memory.",
      figures.databaseFailure == nil ? 0 : 1)
    addOne("listeners_max", .gauge, "Listeners possible at once.", Double(server.listenersMax))
    addOne("listeners_stalled", .gauge, "Listeners whose socket is full.", Double(server.blocked))
    addOne("connections", .gauge, "Open connections.", Double(server.connections))
    addOne(
      "connections_max", .gauge, "Connections over the network possible at once.",
      Double(server.connectionsMax))
    addOne("watchers", .gauge, "Clients of the event stream.", Double(server.watchers))
    addOne(
      "watchers_max", .gauge, "Clients of the event stream possible at once.",
      Double(server.watchersMax))
    addOne(
      "files_open", .gauge, "Files on demand that are open, each for all who hear it.",
      Double(server.filesOpen))
    addOne(
      "files_open_max", .gauge, "Files on demand possible at once.", Double(server.filesOpenMax))
    addOne(
      "prompt_slots_full_total", .counter,
      "Slots of 25 ms in which clips and bursts of files waited for each other.",
      Double(server.promptSlotsFull))
    addOne("connections_accepted_total", .counter, "Connections made.", Double(server.accepted))
    addOne(
      "connections_refused_total", .counter, "Connections refused at a limit.",
      Double(server.refused))
    let handshakes = server.handshakes
    add(
      "tls_handshakes_total", .counter, "TLS handshakes, by how they ended.",
      [
        (["result": "full"], Double(handshakes.full)),
        (["result": "resumed"], Double(handshakes.resumed)),
        (["result": "failed"], Double(handshakes.failed)),
        (["result": "abandoned"], Double(handshakes.abandoned)),
      ])
    addCertificates(figures.certificates)
    addOne("sent_bytes_total", .counter, "Bytes sent to listeners.", Double(server.bytesSent))
    addOne("clips", .gauge, "Clips being sent.", Double(server.clips))
    addOne("clips_total", .counter, "Clips asked for.", Double(server.clipsTotal))
    addOne("clip_bytes_total", .counter, "Bytes of clips sent.", Double(server.clipBytes))
    addOne("writes_total", .counter, "Writes to listeners.", Double(server.writes))
    addOne(
      "would_blocks_total", .counter, "Writes a full socket cut short.", Double(server.wouldBlocks))
    addOne("skips_total", .counter, "Listeners moved forward as too slow.", Double(server.skips))
    addOne(
      "overruns_total", .counter, "Listeners whose place left the window.", Double(server.overruns))
    addHistogram(
      "listener_lag_seconds", "Last byte taken to the live edge; each listener every 10 s.",
      [Self.distribution(figures.places.lag)])
    addHistogram(
      "listener_offset_seconds", "Play point to the live edge; each listener every 10 s.",
      [Self.distribution(figures.places.offset)])
    addHistogram(
      "session_seconds", "How long those listened who have left.",
      [Self.distribution(figures.sessions)])
    addOne(
      "log_lines_lost_total", .counter, "Lines the access and playlist logs have not got.",
      Double(figures.logLinesLost))
    addOne(
      "wrong_passwords_total", .counter,
      "Wrong passwords and tokens of administrators, sources and listeners.",
      Double(figures.wrongPasswords))
    add(
      "sessions", .gauge, "Listening sessions that are kept.",
      [
        (["state": "connected"], Double(metrics.server.sessions.connected)),
        (["state": "away"], Double(metrics.server.sessions.away)),
      ])
    add(
      "recordings", .gauge, "Recordings that are listed.",
      Recording.State.allCases.map {
        (["state": $0.rawValue], Double(metrics.recordings[$0] ?? 0))
      })
    addConfiguration(metrics.configuration)
    addProcess(figures)
    addThreads(figures.threads)
  }

  private mutating func addConfiguration(_ configuration: ConfigurationMetrics) {
    addOne(
      "config_last_reload_successful", .gauge, "0 after a reload that took nothing over.",
      configuration.isLastSuccessful ? 1 : 0)
    addOne(
      "config_last_reload_timestamp_seconds", .gauge,
      "When a configuration was last taken over, at the start or by a reload.",
      configuration.takenOverAt.seconds)
  }

  private static func distribution(_ histogram: Histogram) -> Distribution {
    var (upTo, below): ([(bound: Double, count: UInt64)], UInt64) = ([], 0)
    for (bound, count) in zip(histogram.bounds + [.infinity], histogram.counts) {
      below += count
      upTo.append((bound, below))
    }
    return Distribution(upTo: upTo, sum: histogram.sum)
  }

  private mutating func addThreads(_ threads: ThreadFigures) {
    add(
      "named_threads", .gauge, "Threads of the relay's own, by what they do.",
      threads.kinds.map { (["name": $0.name], Double($0.count)) })
    func each(_ value: (ThreadFigures.Lane) -> Int) -> [Sample] {
      threads.lanes.map { (["lane": $0.name], Double(value($0))) }
    }
    add("lane_threads", .gauge, "Threads of a lane at work.", each(\.busy))
    add("lane_threads_max", .gauge, "Threads of a lane possible at once.", each(\.limit))
    add("lane_waiting", .gauge, "Works that wait for a thread of a lane.", each(\.waiting))
  }

  private mutating func addProcess(_ figures: RelayFigures) {
    let process = figures.process
    addOne("resident_memory_bytes", .gauge, "Resident memory.", Double(process.memory))
    addOne("cpu_seconds_total", .counter, "User and system time.", process.cpuSeconds)
    addOne("open_files", .gauge, "Open files.", Double(process.openFiles))
    addOne("open_files_max", .gauge, "Limit on open files.", Double(process.openFilesMax))
    addOne("threads", .gauge, "Threads of the process.", Double(process.threads))
    addPlain(
      "process_cpu_seconds_total", .counter, "User and system time.",
      [([:], process.cpuSeconds)])
    addPlain(
      "process_resident_memory_bytes", .gauge, "Resident memory.", [([:], Double(process.memory))])
    addPlain("process_open_fds", .gauge, "Open files.", [([:], Double(process.openFiles))])
    addPlain(
      "process_max_fds", .gauge, "Limit on open files.", [([:], Double(process.openFilesMax))])
    addPlain(
      "process_start_time_seconds", .gauge, "When the relay was started.",
      [([:], figures.startedAt.seconds)])
  }

  mutating func addWebhooks(_ webhooks: [WebhookState]) {
    func each(_ value: (WebhookState) -> UInt64) -> [Sample] {
      webhooks.map { (["webhook": "\($0.number)"], Double(value($0))) }
    }
    add(
      "webhook_deliveries_total", .counter, "Events that web services were told.",
      webhooks.flatMap { hook in
        [("ok", hook.delivered), ("failed", hook.failed)].map {
          (["webhook": "\(hook.number)", "result": $0.0], Double($0.1))
        }
      })
    add("webhook_queued", .gauge, "Events that wait.", each { UInt64($0.queued) })
    add("webhook_lost_total", .counter, "Events that are not told.", each(\.lost))
  }
}

extension MetricsText {
  /// When certificates end. A name with several, of keys of several kinds, is as good as the first that ends.
  private mutating func addCertificates(_ certificates: [TLSCertificate]) {
    var ends: [(name: String, until: Int64)] = []
    for certificate in certificates {
      let name = certificate.names.first ?? certificate.file
      if let index = ends.firstIndex(where: { $0.name == name }) {
        ends[index].until = min(ends[index].until, certificate.validUntil)
      } else {
        ends.append((name, certificate.validUntil))
      }
    }
    add(
      "tls_certificate_expiry_timestamp_seconds", .gauge,
      "When a certificate ends, in Unix seconds, by its first name.",
      ends.map { (["name": $0.name], Double($0.until)) })
  }
}
