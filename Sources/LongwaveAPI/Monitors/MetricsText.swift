import Ingest
import Longwave
import Server
import Threads
import Timeshift
import Wire

/// Figures in the text format of Prometheus, version 0.0.4.
struct MetricsText {
  static let mediaType = "text/plain; version=0.0.4; charset=utf-8"
  private(set) var text = ""

  init(stations: [StationSnapshot], figures: RelayFigures) {
    addServer(figures)
    addWebhooks(figures.webhooks)
    addStations(stations)
  }

  private enum Kind: String {
    case counter
    case gauge
  }

  private typealias Sample = (labels: KeyValuePairs<String, String>, value: Double)

  private mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    text += "# HELP longwave_\(name) \(help)\n# TYPE longwave_\(name) \(kind.rawValue)\n"
    for sample in samples {
      let labels = sample.labels.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }
      let list = labels.isEmpty ? "" : "{" + labels.joined(separator: ",") + "}"
      text += "longwave_\(name)\(list) \(JSON.decimal(sample.value))\n"
    }
  }

  private mutating func addOne(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
    add(name, kind, help, [([:], value)])
  }

  private static func escaped(_ value: String) -> String {
    runs.text(value) { left, bytes in
      bytes +=
        left[0] == UInt8(ascii: "\n")
        ? "\\n".utf8 : left[0] == UInt8(ascii: "\"") ? "\\\"".utf8 : "\\\\".utf8
      return 1
    }
  }

  private static let runs = TextRuns { "\\\"\n".utf8.contains($0) }
}

extension MetricsText {
  private mutating func addServer(_ figures: RelayFigures) {
    let server = figures.server
    add("info", .gauge, "The running version.", [(["version": figures.version], 1)])
    addOne("uptime_seconds", .gauge, "Time since the start.", figures.uptime)
    addOne("stations", .gauge, "Stations known.", Double(figures.stations))
    addOne(
      "left_out", .gauge,
      "1: it runs without some of what is stored, since it died at its last starts.",
      figures.leftOut == nil ? 0 : 1)
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
      figures.places.lag)
    addHistogram(
      "listener_offset_seconds", "Play point to the live edge; each listener every 10 s.",
      figures.places.offset)
    addHistogram(
      "session_seconds", "How long those listened who have left.", figures.sessions)
    addOne(
      "log_lines_lost_total", .counter, "Lines the access and playlist logs have not got.",
      Double(figures.logLinesLost))
    addOne(
      "wrong_passwords_total", .counter,
      "Wrong passwords and tokens of administrators, sources and listeners.",
      Double(figures.wrongPasswords))
    addProcess(figures.process)
    addThreads(figures.threads)
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

  private mutating func addHistogram(_ name: String, _ help: String, _ histogram: Histogram) {
    text += "# HELP longwave_\(name) \(help)\n# TYPE longwave_\(name) histogram\n"
    var below: UInt64 = 0
    for (bound, count) in zip(histogram.bounds.map(JSON.decimal) + ["+Inf"], histogram.counts) {
      below += count
      text += "longwave_\(name)_bucket{le=\"\(bound)\"} \(below)\n"
    }
    text += "longwave_\(name)_sum \(JSON.decimal(histogram.sum))\n"
    text += "longwave_\(name)_count \(below)\n"
  }

  private mutating func addProcess(_ process: ProcessFigures) {
    addOne("resident_memory_bytes", .gauge, "Resident memory.", Double(process.memory))
    addOne("cpu_seconds_total", .counter, "User and system time.", process.cpuSeconds)
    addOne("open_files", .gauge, "Open files.", Double(process.openFiles))
    addOne("open_files_max", .gauge, "Limit on open files.", Double(process.openFilesMax))
    addOne("threads", .gauge, "Threads of the process.", Double(process.threads))
  }

  private mutating func addStations(_ stations: [StationSnapshot]) {
    func each(_ value: (StationSnapshot) -> Double) -> [Sample] {
      stations.map { (["station": $0.id], value($0)) }
    }
    add("listeners", .gauge, "Listeners now.", each { Double($0.listeners.now) })
    add("listeners_peak", .gauge, "Most listeners at once.", each { Double($0.listeners.peak) })
    add("listeners_total", .counter, "Listeners so far.", each { Double($0.listeners.total) })
    add(
      "station_playing", .gauge, "1 while audio arrives.", each { $0.state == .playing ? 1 : 0 })
    add(
      "station_state", .gauge, "1 for the state the station is in.",
      stations.map { (["station": $0.id, "state": $0.state.rawValue], 1) })
    add(
      "upstream_received_bytes_total", .counter, "Bytes received from upstreams.",
      each { Double($0.upstream.bytes) })
    add(
      "upstream_skipped_bytes_total", .counter,
      "Bytes of upstreams that were no audio: damaged frames and pages, and garbage.",
      each { Double($0.upstream.skipped) })
    add(
      "upstream_attempts_total", .counter, "Connections to upstreams attempted.",
      each { Double($0.upstream.attempts) })
    add("bitrate_kbps", .gauge, "Measured bit rate.", each { Double($0.bitrate ?? 0) })
    addWindows(stations, each)
    addSound(stations)
  }

  private mutating func addWebhooks(_ webhooks: [WebhookState]) {
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

  /// Stations whose sound is not measured have no figures of it.
  private mutating func addSound(_ stations: [StationSnapshot]) {
    func known(_ value: (SoundState) -> Double?) -> [Sample] {
      stations.compactMap { station in
        value(station.sound).map { (["station": station.id], $0) }
      }
    }
    add(
      "station_loudness_lufs", .gauge, "Loudness of the last 3 s (EBU R 128).",
      known { $0.shortTermLoudness })
    add(
      "station_silent", .gauge, "1 while there is dead air.",
      known { $0.isSilent.map { $0 ? 1 : 0 } })
    add(
      "station_loudness_out", .gauge,
      "1 while the loudness is above the station's bound, -1 while it is below its bound.",
      known { $0.loudnessState.map { $0 == .within ? 0 : $0 == .above ? 1 : -1 } })
    add(
      "station_clipped_samples_total", .counter, "Samples in a row at full scale.",
      known { Double($0.clipped) })
  }

  private mutating func addWindows(
    _ stations: [StationSnapshot], _ each: ((StationSnapshot) -> Double) -> [Sample]
  ) {
    add("window_seconds", .gauge, "Past that can be listened to.", each { $0.window.seconds })
    add("window_bytes", .gauge, "Audio in the window.", each { Double($0.window.bytes) })
    add("disk_bytes", .gauge, "Audio and indexes on disk.", each { Double($0.window.onDisk) })
    add("memory_bytes", .gauge, "Audio in memory.", each { Double($0.window.inMemory) })
    add("segments", .gauge, "Files of the window.", each { Double($0.window.segments) })
    add("holes_total", .counter, "Stretches the disk lost.", each { Double($0.window.holes) })
    add(
      "damaged_segments_total", .counter, "Segments in which damaged audio was found.",
      each { Double($0.window.segmentsDamaged) })
    add(
      "storage_failed", .gauge, "1 while a window cannot be written.",
      each { $0.window.storageWord == "failed" ? 1 : 0 })
  }
}
