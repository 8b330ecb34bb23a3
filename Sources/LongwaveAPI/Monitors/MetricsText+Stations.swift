import Ingest
import Longwave
import Server
import Timeshift
import Wire

extension MetricsText {
  mutating func addStations(_ stations: [StationSnapshot], _ metrics: RelayMetrics) {
    func each(_ value: (StationSnapshot) -> Double) -> [Sample] {
      stations.map { (["station": $0.id], value($0)) }
    }
    add("listeners", .gauge, "Listeners now.", each { Double($0.listeners.now) })
    add("listeners_peak", .gauge, "Most listeners at once.", each { Double($0.listeners.peak) })
    add("listeners_total", .counter, "Listeners so far.", each { Double($0.listeners.total) })
    add(
      "station_playing", .gauge, "1 while audio arrives.", each { $0.state == .playing ? 1 : 0 })
    add(
      "station_state", .gauge, "1 for the state the station is in, 0 for the others.",
      stations.flatMap { station in
        StationState.allCases.map { state in
          (["station": station.id, "state": state.rawValue], station.state == state ? 1 : 0)
        }
      })
    let pulled = stations.filter { $0.renditionOf == nil }
    func eachPulled(_ value: (StationSnapshot) -> Double) -> [Sample] {
      pulled.map { (["station": $0.id], value($0)) }
    }
    add(
      "upstream_received_bytes_total", .counter, "Bytes received from upstreams.",
      eachPulled { Double($0.upstream.bytes) })
    add(
      "upstream_skipped_bytes_total", .counter,
      "Bytes of upstreams that were no audio: damaged frames and pages, and garbage.",
      eachPulled { Double($0.upstream.skipped) })
    add(
      "upstream_attempts_total", .counter, "Connections to upstreams attempted.",
      eachPulled { Double($0.upstream.attempts) })
    add("bitrate_kbps", .gauge, "Measured bit rate.", each { Double($0.bitrate ?? 0) })
    add(
      "fallback_active", .gauge, "1 while listeners hear the fallback.",
      each { $0.fallback == nil ? 0 : 1 })
    addWindows(stations, each)
    addEdges(stations, metrics)
    addCounts(stations, metrics)
    addLoads(stations, metrics.server.loads)
    addSound(stations)
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

  /// Stations without a log have no edge. A log in which nothing has come is as old as the relay.
  private mutating func addEdges(_ stations: [StationSnapshot], _ metrics: RelayMetrics) {
    add(
      "station_edge_age_seconds", .gauge,
      "How long ago the newest audio was on air; since the start where none has come.",
      stations.compactMap { station in
        guard station.window.secondsMax > 0 || station.window.live != nil else { return nil }
        let age =
          station.window.live.map { metrics.time.seconds(since: $0) } ?? metrics.figures.uptime
        return (["station": station.id], max(0, age))
      })
    add(
      "storage_unwritten_seconds", .gauge, "Audio that the disk has not got yet, about.",
      stations.filter { $0.window.storage != .memoryOnly }.map {
        (["station": $0.id], $0.window.secondsUnwritten)
      })
  }

  private mutating func addCounts(_ stations: [StationSnapshot], _ metrics: RelayMetrics) {
    func each(_ value: (StationCounts) -> Double) -> [Sample] {
      stations.map { (["station": $0.id], value(metrics.counts[$0.id] ?? StationCounts())) }
    }
    func each<Reason: CaseIterable>(
      _ label: String, _ word: (Reason) -> String, _ value: (StationCounts, Reason) -> UInt64?
    ) -> [Sample] {
      stations.flatMap { station in
        let counts = metrics.counts[station.id] ?? StationCounts()
        return Reason.allCases.map { reason in
          let labels: Labels = ["station": station.id, label: word(reason)]
          return (labels, Double(value(counts, reason) ?? 0))
        }
      }
    }
    add(
      "station_off_air_seconds_total", .counter,
      "Time in which the station was to play, and was connecting, buffering or failed.",
      each(\.offAirSeconds))
    add(
      "station_lost_seconds_total", .counter,
      "Audio that upstreams did not send after they had gone.",
      each(\.lostSeconds))
    add(
      "station_stitched_seconds_total", .counter,
      "Audio that upstreams sent again after they had gone.", each(\.stitchedSeconds))
    add(
      "station_gaps_total", .counter, "Gaps in the window, by their cause.",
      each("cause", \GapCause.word) { $0.gaps[$1] })
    add(
      "station_upstream_disconnects_total", .counter,
      "Upstreams that gave audio and give no more, by the reason.",
      each("reason", \UpstreamLoss.rawValue) { $0.losses[$1] })
    add("titles_total", .counter, "Titles that came on air.", each { Double($0.titles) })
    add(
      "window_given_up_seconds_total", .counter,
      "Past that was given up early, since the disk was full.", each(\.givenUpSeconds))
  }

  private mutating func addLoads(_ stations: [StationSnapshot], _ loads: [String: StationLoad]) {
    func each(_ value: (StationLoad) -> Double) -> [Sample] {
      stations.map { (["station": $0.id], value(loads[$0.id] ?? StationLoad())) }
    }
    add(
      "listening_seconds_total", .counter, "How long all listeners have listened.",
      each { Double($0.listeningMilliseconds) / 1000 })
    add(
      "station_sent_bytes_total", .counter, "Bytes that listeners took.", each { Double($0.bytes) })
  }
}
