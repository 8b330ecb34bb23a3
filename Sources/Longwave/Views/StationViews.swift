import Audio
import Ingest
import Server
import Threads
import Timeshift
import Wire

/// Copies out what is shown of the stations.
struct StationViews {
  let stations: StationTable
  let leftOut: LeftOutStations
  let fallbacks: Fallbacks
  let fillers: Fillers
  let soundMeters: SoundMeters

  /// The definitions of the stations, in their order, secrets included.
  var definitions: [JSON] { stations.inOrder.map(\.definition.json) + leftOut.definitions }

  func snapshots() async -> [StationSnapshot] {
    var all: [StationSnapshot] = []
    for id in stations.order {
      guard let station = stations[id] else { continue }
      all.append(await snapshot(of: station))
    }
    return all + leftOut.snapshots
  }

  func snapshot(_ id: String) async throws(RelayError) -> StationSnapshot {
    if let shown = leftOut.snapshot(id) { return shown }
    return await snapshot(of: try stations.station(id))
  }

  private func hls(
    of station: RelayStation, _ window: StationSnapshot.Window, _ settings: ListenerSettings
  ) -> StationSnapshot.HLS {
    let mount = station.mount(stations.configuration.listeners)
    var hls = StationSnapshot.HLS()
    hls.segment = settings.hls.segment
    hls.reason =
      settings.hls.isOn
      ? mount.hlsProblem : "station \(station.id) is not given as HLS (hls: false)"
    if hls.reason == nil { hls.url = "\(mount.name)/hls/live.m3u8" }
    hls.window = min(mount.hlsWindow.seconds, max(window.secondsMax, window.seconds))
    return hls
  }

  private func snapshot(of station: RelayStation) async -> StationSnapshot {
    var shown = station.snapshot(await fillers.status(of: station.id))
    shown.programme = fillers.table.programmes.glance(of: station)
    let settings = station.definition.listenerSettings(stations.configuration.listeners)
    // Rights are about streams; files are offered as a whole.
    if station.definition.files == nil {
      shown.rights = StationSnapshot.Rights(
        shift: settings.allowsShift,
        offsetMax: settings.allowsShift ? settings.offsetMax?.seconds : nil,
        clip: settings.givesClips, record: station.definition.allowsRecording)
    }
    shown.hls = hls(of: station, shown.window, settings)
    shown.renditions = stations.renditions(of: station.id).map {
      StationSnapshot.Rendition(
        id: $0.id, bitrate: $0.definition.encode?.bitrate ?? 0, isListed: $0.isListed)
    }
    if let plan = stations.shows(of: station.definition) {
      let now = Moment.now().wall.unixSeconds
      (shown.show, shown.nextShow) = (plan.current(at: now), plan.next(after: now))
    }
    shown.isConfigured = station.origin != .command
    shown.fallback = fallbacks.setting(of: station.id)
    shown.sound = soundMeters.state(of: station.id)
    shown.isHeardByAll =
      station.definition.auth == nil
      && [station.definition.access, stations.configuration.server.access].allSatisfy {
        $0.allow.isEmpty && $0.deny.isEmpty
      }
    return shown
  }

  /// Returns the titles of a station, newest first.
  func history(of id: String, limit: Int) async throws(RelayError) -> [HistoryEntry] {
    let station = try stations.station(id)
    // Older titles may have to be read from the disk.
    return await Blocking.run {
      guard let log = station.log else { return [] }
      let now = Moment.now()
      // The edge is read after the marks, so that no title ends before it began.
      if station.definition.hasOwnLog {
        let marks = log.titles(limit: .max)
        return HistoryEntry.list(
          marks, oldest: log.oldest.position, edge: log.edge, limit: limit)
      }
      let marks = log.titles(limit: .max, delay: station.delay, at: now)
      let edge = log.snapshot(delay: station.delay, at: now).edge
      return HistoryEntry.list(marks, oldest: log.oldest.position, edge: edge, limit: limit)
    }
  }

  /// Returns where the pictures of a title and of its station are.
  ///
  /// - Parameter position: byte of the log that the title is heard at; nil for what is on air.
  func artwork(
    of id: String, at position: UInt64?
  ) async throws(RelayError) -> (title: String?, station: String?) {
    let shown = try await snapshot(id)
    guard let position else { return (shown.nowPlaying.artwork, shown.artwork) }
    let log = stations[id]?.log
    let title = await Blocking.run { () -> String? in
      guard let log, position < log.edge.position else { return nil }
      return log.titles(limit: .max).first { $0.position <= position }.flatMap {
        NowPlaying($0).artwork
      }
    }
    return (title, shown.artwork)
  }

  /// Returns the station's window without its audio.
  func timeline(of id: String) async throws(RelayError) -> StationTimeline {
    let station = try stations.station(id)
    guard let log = station.log else { throw RelayError.noTimeline(id) }
    let zone = stations.zone(of: id)
    let delay = station.delay
    // Thousands of titles take some milliseconds.
    return await Blocking.run {
      let now = Moment.now()
      return StationTimeline(
        log.timeline(delay: delay, at: now), of: id, in: zone, now: now.wall)
    }
  }

  /// Returns the station's shows; what was recorded of them is told where the past may be heard.
  func shows(
    of id: String, _ recordings: RecordingRegister
  ) async throws(RelayError) -> StationShows {
    let station = try stations.station(id)
    let now = Moment.now()
    let plan =
      stations.shows(of: station.definition) ?? ShowPlan(shows: [], zone: stations.zone(of: id))
    let oldest = station.log.map { $0.snapshot(delay: station.delay, at: now) }.flatMap {
      $0.edge.position == $0.oldest.position ? nil : $0.oldestAir.unixSeconds
    }
    let offered = await recordings.shows(of: id).filter { isOffered($0, of: station, at: now.wall) }
    return StationShows(
      station: id, plan: plan, zoneSeconds: plan.zone.offset(at: now.wall.unixSeconds),
      airings: plan.airings(from: oldest, at: now.wall.unixSeconds),
      recordings: StationShows.told(of: offered))
  }

  /// Returns a recording of a station's show; nil without one, and where listeners may not go back to it.
  func show(
    _ recording: Int64, of id: String, _ recordings: RecordingRegister
  ) async throws(RelayError) -> RecordedShow? {
    let station = try stations.station(id)
    guard let show = await recordings.show(recording, of: id),
      isOffered(show, of: station, at: Moment.now().wall)
    else { return nil }
    return show
  }

  /// Whether listeners may go back to what was recorded.
  private func isOffered(
    _ show: RecordedShow, of station: RelayStation, at now: WallTime
  ) -> Bool {
    let settings = station.definition.listenerSettings(stations.configuration.listeners)
    guard settings.allowsShift else { return false }
    return settings.offsetMax.map { show.from >= now.adding(seconds: -$0.seconds) } ?? true
  }

  /// Returns how loud the station's window is.
  func waveform(of id: String) async throws(RelayError) -> StationWaveform {
    let station = try stations.station(id)
    guard let log = station.log else { throw RelayError.noTimeline(id) }
    return StationWaveform(log.loudness(delay: station.delay, at: Moment.now()), of: id)
  }

  /// Returns the sound of the station's window, which is decoded where it is asked for.
  ///
  /// - Parameter customer: nil for a part of this process.
  func sound(
    of id: String, for customer: AddressBlock?
  ) async throws(RelayError) -> StationSound {
    let station = try stations.station(id)
    guard let log = station.log else { throw RelayError.noTimeline(id) }
    let shown = log.snapshot()
    guard let format = shown.format, format.sampleRate > 0 else {
      throw RelayError.noSound(id, reason: nil)
    }
    switch await soundMeters.trial(of: format, headers: shown.headers, for: customer) {
    case nil: throw RelayError.busyDecoding(id)
    case .failure(let error): throw RelayError.noSound(id, reason: error.reason)
    case .success: return soundMeters.sound(in: log, delay: station.delay, format)
    }
  }

  /// Returns media seconds of the station's past.
  func window(of id: String) throws(RelayError) -> Double {
    let station = try stations.station(id)
    guard let log = station.log else { throw RelayError.noTimeline(id) }
    let shown =
      station.delay == .zero ? log.snapshot() : log.snapshot(delay: station.delay, at: Moment.now())
    return (shown.edge.media - shown.oldest.media).seconds
  }

  /// Why the relay is not ready, in words.
  ///
  /// - Parameter store: why the database on the disk lacks rows; nil when it has all.
  func obstacles(store: String?) -> [String] {
    [leftOut.text, store.map { "database: \($0)" }].compactMap(\.self)
      + stations.order.compactMap { id in
        guard let station = stations[id],
          case .failed(let reason) = station.log?.snapshot().storage
        else { return nil }
        // Everybody may ask, and the reason names folders.
        return station.isListed
          ? "\(id): disk: \(reason)" : "a station that is not listed: disk failed, see the log"
      }
  }

  /// Returns the files that a station serves, for administrators and, if the station needs no password, for everybody.
  func files(of id: String, isAdmin: Bool) throws(RelayError) -> FileSource {
    let definition = try stations.station(id).definition
    guard let source = definition.files else { throw RelayError.noFiles(id) }
    if definition.auth != nil, !isAdmin { throw RelayError.filesForAdministrators(id) }
    return source
  }
}
