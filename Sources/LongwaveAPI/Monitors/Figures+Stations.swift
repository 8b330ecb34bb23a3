import Ingest
import Longwave
import Server
import Timeshift
import Wire

/// What the figures of a station are taken from.
struct StationLook: Sendable {
  let station: StationSnapshot
  let metrics: RelayMetrics

  var window: StationSnapshot.Window { station.window }
  var sound: SoundState { station.sound }
  var counts: StationCounts { metrics.counts[station.id] ?? StationCounts() }
  var load: StationLoad { metrics.server.loads[station.id] ?? StationLoad() }
  /// What is received; nil for a rendition, whose original's audio comes from here.
  var upstream: StationSnapshot.Upstream? {
    station.renditionOf == nil ? station.upstream : nil
  }
  /// Seconds since the edge was on air; nil without a log. A log in which nothing has come is as old as the relay.
  var edgeAge: Double? {
    guard window.secondsMax > 0 || window.live != nil else { return nil }
    return max(0, window.live.map { metrics.time.seconds(since: $0) } ?? metrics.figures.uptime)
  }
}

extension Figures {
  static let stations: [Figure<Scrape>] =
    (about + windows + counts + loads + sound).map {
      $0.by("station", \.station.id).each(\.stations)
    }
    + programmes.map {
      $0.by("station", \.station.id).each { $0.stations.filter { $0.station.programme != nil } }
    }

  private static let about: [Figure<StationLook>] = [
    Figure("longwave_listeners", "Listeners now.", \.station.listeners.now),
    Figure(
      "longwave_station_hls_listeners",
      "Listeners of HLS now; longwave_listeners has none of them.",
      \.station.listeners.hls),
    Figure(
      "longwave_listeners_peak", "Most listeners at once, those of HLS among them.",
      \.station.listeners.peak),
    Figure("longwave_listeners_total", "Listeners so far.", \.station.listeners.total),
    Figure("longwave_station_playing", "1 while audio arrives.") {
      $0.station.state == .playing
    },
    Figure(
      "longwave_station_state", "1 for the state the station is in, 0 for the others.", by: "state"
    ) { look in
      StationState.allCases.map { ($0.rawValue, $0 == look.station.state) }
    },
    Figure(
      "longwave_upstream_received_bytes_total", "Bytes received from upstreams.", \.upstream?.bytes),
    Figure(
      "longwave_upstream_skipped_bytes_total",
      "Bytes of upstreams that were no audio: damaged frames and pages, and garbage.",
      \.upstream?.skipped),
    Figure(
      "longwave_upstream_attempts_total", "Connections to upstreams attempted.",
      \.upstream?.attempts),
    Figure("longwave_bitrate_kbps", "Measured bit rate.") { $0.station.bitrate ?? 0 },
    Figure("longwave_fallback_active", "1 while listeners hear the fallback.") {
      $0.station.fallback != nil
    },
  ]

  private static let windows: [Figure<StationLook>] = [
    Figure("longwave_window_seconds", "Past that can be listened to.", \.window.seconds),
    Figure("longwave_window_bytes", "Audio in the window.", \.window.bytes),
    Figure("longwave_disk_bytes", "Audio and indexes on disk.", \.window.onDisk),
    Figure("longwave_memory_bytes", "Audio in memory.", \.window.inMemory),
    Figure("longwave_segments", "Files of the window.", \.window.segments),
    Figure("longwave_holes_total", "Stretches the disk lost.", \.window.holes),
    Figure(
      "longwave_damaged_segments_total", "Segments in which damaged audio was found.",
      \.window.segmentsDamaged),
    Figure("longwave_storage_failed", "1 while a window cannot be written.") {
      $0.window.storageWord == "failed"
    },
    Figure(
      "longwave_station_edge_age_seconds",
      "How long ago the newest audio was on air; since the start where none has come.", \.edgeAge),
    Figure("longwave_storage_unwritten_seconds", "Audio that the disk has not got yet, about.") {
      $0.window.storage == .memoryOnly ? nil : $0.window.secondsUnwritten
    },
  ]

  private static let counts: [Figure<StationLook>] = [
    Figure(
      "longwave_station_off_air_seconds_total",
      "Time in which the station was to play, and was connecting, buffering or failed.",
      \.counts.offAirSeconds),
    Figure(
      "longwave_station_lost_seconds_total",
      "Audio that upstreams did not send after they had gone.", \.counts.lostSeconds),
    Figure(
      "longwave_station_stitched_seconds_total",
      "Audio that upstreams sent again after they had gone.", \.counts.stitchedSeconds),
    Figure("longwave_station_gaps_total", "Gaps in the window, by their cause.", by: "cause") {
      look in
      GapCause.allCases.map { ($0.word, look.counts.gaps[$0] ?? 0) }
    },
    Figure(
      "longwave_station_upstream_disconnects_total",
      "Upstreams that gave audio and give no more, by the reason.", by: "reason"
    ) { look in
      UpstreamLoss.allCases.map { ($0.rawValue, look.counts.losses[$0] ?? 0) }
    },
    Figure("longwave_titles_total", "Titles that came on air.", \.counts.titles),
    Figure(
      "longwave_window_given_up_seconds_total",
      "Past that was given up early, since the disk was full.", \.counts.givenUpSeconds),
  ]

  private static let loads: [Figure<StationLook>] = [
    Figure("longwave_listening_seconds_total", "How long all listeners have listened.") {
      Double($0.load.listeningMilliseconds) / 1000
    },
    Figure("longwave_station_sent_bytes_total", "Bytes that listeners took.", \.load.bytes),
  ]

  /// Stations whose sound is not measured have no figures of it.
  private static let sound: [Figure<StationLook>] = [
    Figure(
      "longwave_station_loudness_lufs", "Loudness of the last 3 s (EBU R 128).",
      \.sound.shortTermLoudness),
    Figure("longwave_station_silent", "1 while there is dead air.", \.sound.isSilent),
    Figure(
      "longwave_station_loudness_out",
      "1 while the loudness is above the station's bound, -1 while it is below its bound."
    ) { $0.sound.loudnessState.map { $0 == .within ? 0 : $0 == .above ? 1 : -1 } },
    Figure(
      "longwave_station_clipped_samples_total", "Samples in a row at full scale.", \.sound.clipped),
  ]

  /// Stations that are no programme have no figures of it.
  private static let programmes: [Figure<StationLook>] = [
    Figure<(kind: String, join: String, count: UInt64)>(
      "longwave_programme_items_total",
      "Items that began, by what they are and how they are joined.", \.count
    )
    .by("join", \.join).by("kind", \.kind).each(\.counts.programme.allItems),
    Figure(
      "longwave_programme_item_failures_total",
      "Items that could not be played, or not to their end.", \.counts.programme.failures),
    Figure(
      "longwave_programme_relaxed_total",
      "Tracks that were nearer to others than separate says, by what was alike.", by: "rule",
      \.counts.programme.allRelaxed),
    Figure(
      "longwave_programme_inserts_missed_total", "Inserts that could not be within their time.",
      \.counts.programme.missed),
    Figure(
      "longwave_programme_passed_through_seconds_total", "Audio that is byte for byte the files'.",
      \.counts.programme.passedSeconds),
    Figure(
      "longwave_programme_made_seconds_total",
      "Audio of tracks that were encoded anew to fit the programme.",
      \.counts.programme.madeSeconds),
    Figure(
      "longwave_programme_late_seconds_total",
      "Audio that is missing, since the programme was late beyond what it has ahead.",
      \.counts.programme.lateSeconds),
    Figure(
      "longwave_programme_ahead_seconds", "Audio from now on whose files are open.",
      \.station.programme?.ahead),
    Figure(
      "longwave_programme_tracks",
      "Tracks that can be played, and files of its folders that are left out.", by: "state"
    ) { look in
      let programme = look.station.programme
      return [("playable", programme?.tracks ?? 0), ("refused", programme?.refused ?? 0)]
    },
  ]
}
