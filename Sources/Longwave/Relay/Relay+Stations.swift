import Ingest
import Logging
import Server
import Threads
import Timeshift
import Wire

// Commands for stations, and what the relay shows of them.
extension Relay {
  /// Returns the definitions of all stations in their order, passwords included.
  public func definitions() async -> [JSON] { views.definitions }

  package func definition(of id: String) throws(RelayError) -> StationDefinition {
    leftOut.contains(id) ? try leftOut.definition(of: id) : try stations.station(id).definition
  }

  /// The settings of the pages for browsers.
  package func webSettings() async -> WebSettings { stations.configuration.web }

  /// Who may read the figures for supervisors.
  package func metricsSettings() async -> MetricsSettings { stations.configuration.metrics }

  /// Returns all stations as they are now, in their order; stations that the start left out come last.
  public func stationSnapshots() async -> [StationSnapshot] { await views.snapshots() }

  /// Returns one station as it is now. Throws when no station has that id.
  public func stationSnapshot(_ id: String) async throws(RelayError) -> StationSnapshot {
    try await views.snapshot(id)
  }

  /// Returns the paths of a station's renditions, one of each; empty where there is no such station.
  package func renditionPaths(of id: String) -> [String] {
    stations.renditions(of: id).map { $0.definition.mounts.first ?? "/\($0.id)" }
  }

  /// Returns the last `limit` titles of a station, newest first; empty when the station serves files.
  public func history(of id: String, limit: Int) async throws(RelayError) -> [HistoryEntry] {
    try await views.history(of: id, limit: limit)
  }

  /// Returns the picture of the title at a byte of a station's log, or of the one on air; else the station's own.
  public func artwork(
    of id: String, at position: UInt64? = nil
  ) async throws(RelayError) -> Artwork {
    let (title, station) = try await views.artwork(of: id, at: position)
    var artwork = try await picture(of: id, by: [title, station].compactMap(\.self))
    artwork.isOfTitle = artwork.url == title && position != nil
    return artwork
  }

  /// Returns the picture of a station's show.
  package func artwork(
    ofShow name: String, of id: String
  ) async throws(RelayError) -> Artwork {
    let plan = stations.shows(of: try stations.station(id).definition)
    let url = plan?.shows.first { $0.name == name }?.picture
    return try await picture(of: id, by: url.map { [$0] } ?? [], isOwn: true)
  }

  /// Returns the first of a station's pictures that can be had.
  private func picture(
    of id: String, by urls: [String], isOwn: Bool = false
  ) async throws(RelayError) -> Artwork {
    var reason: String?
    for url in urls {
      switch await artworkCache.picture(wish(url, of: id, isOwn: isOwn)) {
      case .picture(let picture): return Artwork(url: url, isOfTitle: false, picture: picture)
      case .failed(let failure): reason = reason ?? failure.reason
      case .onItsWay: throw RelayError.pictureOnItsWay(id)
      case .tooMany: throw RelayError.tooManyPictures(id)
      }
    }
    throw RelayError.noArtwork(id, reason: reason)
  }

  /// - Parameter isOwn: whether the configuration names the picture, not an upstream.
  private func wish(_ url: String, of id: String, isOwn: Bool) -> ArtworkCache.Wish {
    let station = stations[id]
    let common = configuration.upstream
    return ArtworkCache.Wish(
      url: url, isOwn: isOwn || url == station?.ownArtwork, station: id,
      settings: station?.definition.upstreamSettings(common) ?? common)
  }

  /// Returns a station's window without its audio: titles, gaps, and when what was on air.
  public func timeline(of id: String) async throws(RelayError) -> StationTimeline {
    try await views.timeline(of: id)
  }

  /// Returns how loud a station's window is, second by second, estimated without decoding it.
  public func waveform(of id: String) async throws(RelayError) -> StationWaveform {
    try await views.waveform(of: id)
  }

  public nonisolated var hasRoomForMoment: Bool { soundMeters.hasRoomForMoment }

  /// Returns the sound of a station's window, which is decoded where it is asked for.
  public func sound(of id: String) async throws(RelayError) -> StationSound {
    try await sound(of: id, for: .unixSocket)
  }

  /// Returns that for a client at `origin`.
  package func sound(of id: String, for origin: Peer) async throws(RelayError) -> StationSound {
    try await views.sound(of: id, for: AddressBlock(origin))
  }

  /// Says what the client of a request may hear of a station, or throws why it may not.
  package func hearing(
    of id: String, at place: HeardPlace, for request: APIRequest
  ) async throws(HearingRefusal) -> Hearing {
    try await serving.server?.hearing(of: id, at: place, for: request) ?? Hearing()
  }

  /// Returns which minutes of a station's window were heard later than live. It is the same for a minute.
  public func replayed(of id: String) async throws(RelayError) -> StationReplays {
    let station = try stations.station(id)
    if station.log == nil { throw RelayError.noTimeline(id) }
    return keptReplays.told(of: station)
  }

  /// Returns the files of a station that a request from `origin` may see.
  package func files(
    of id: String, isAdmin: Bool, for origin: Peer
  ) async throws(RelayError) -> FileList {
    let source = try views.files(of: id, isAdmin: isAdmin)
    guard let files = await serving.server?.files(of: source, for: origin) else {
      throw RelayError.filesUnavailable(id)
    }
    return files
  }

  /// The log that listeners of a station hear, and how much later; nil for a station of files.
  func heardLog(
    of id: String
  ) throws(RelayError) -> (log: PacketLog, delay: MediaTime)? {
    let station = try stations.station(id)
    return station.log.map { ($0, station.delay) }
  }

  package func timeZone(of station: String) -> ZoneOffsets { stations.zone(of: station) }

  /// Returns what is found at URLs that may become upstreams, as a station without settings of its own pulls them.
  package func check(_ urls: [String]) async throws(RelayError) -> [UpstreamFinding] {
    try await upstreamChecker.check(urls, by: configuration.upstream)
  }

  // MARK: Changes

  /// Adds a station, which survives restarts. Throws when the id is taken or a value is invalid.
  public func add(_ station: StationDefinition) async throws(RelayError) -> StationSnapshot {
    try await add(station, from: .unixSocket)
  }

  /// Adds a station on a request from `origin`: requests over the network may name files only inside `server: paths`.
  package func add(
    _ station: StationDefinition, from origin: Peer
  ) async throws(RelayError) -> StationSnapshot {
    // Looked at before the turnstile: a disk that hangs delays only the request that names it.
    let looked = try await changes.look(atNew: station, from: origin)
    await turnstile.enter()
    defer { turnstile.leave() }
    try await changes.add(looked)
    await schedules.follow()
    logger.info("\(station.id): added")
    return try await stationSnapshot(station.id)
  }

  /// Changes the keys that `patch` has; null removes a value. Listeners stay connected.
  public func change(_ id: String, by patch: JSON) async throws(RelayError) -> StationSnapshot {
    try await change(id, by: patch, from: .unixSocket)
  }

  /// Changes a station on a request from `origin`: requests over the network may name files only inside `server:
  /// paths`.
  package func change(
    _ id: String, by patch: JSON, from origin: Peer
  ) async throws(RelayError) -> StationSnapshot {
    // Looked at before the turnstile, as in `add`.
    let isLeftOut = leftOut.contains(id)
    let looked = isLeftOut ? nil : try await changes.look(at: id, by: patch, from: origin)
    await turnstile.enter()
    defer { turnstile.leave() }
    if leftOut.contains(id) {
      try await repair.change(id, by: patch, from: origin)
    } else {
      try await changes.change(id, by: patch, seen: looked, from: origin)
      await schedules.follow()
      logger.info("\(id): changed")
    }
    return try await stationSnapshot(id)
  }

  /// Makes another station the fallback of one. Where commands may not change the station, that counts until the
  /// configuration is read again.
  package func setFallback(
    of id: String, to other: String, from origin: Peer
  ) async throws(RelayError) {
    guard stations[id]?.origin.place != nil else {
      _ = try await change(id, by: ["fallback": .string("station:\(other)")], from: origin)
      return
    }
    await turnstile.enter()
    defer { turnstile.leave() }
    try await changes.fallBackForNow(id, to: other)
  }

  /// Removes a station that was added by command, and its window, and ends its listeners.
  public func remove(_ id: String) async throws(RelayError) {
    await turnstile.enter()
    defer { turnstile.leave() }
    if leftOut.contains(id) { return try await repair.remove(id) }
    try await changes.remove(id)
  }

  /// Starts, stops or restarts a station, and returns its state afterwards.
  public func perform(
    _ command: StationCommand, on id: String
  ) async throws(RelayError) -> StationSnapshot {
    if leftOut.contains(id), command != .stop { await logs.awaitFolders([id]) }
    await turnstile.enter()
    defer { turnstile.leave() }
    if leftOut.contains(id) {
      if command == .stop {
        try await leftOut.stop(id)
        return try await stationSnapshot(id)
      }
      try await repair.tryAgain(id)
    }
    try await changes.perform(command, on: id)
    return try await stationSnapshot(id)
  }

  /// Shows a title from now on, until the upstream sends another one.
  public func announce(_ title: Title, on id: String) async throws(RelayError) {
    try requireTitles(of: id)
    guard await ingest.announce(title, station: id) else { throw RelayError.stationStopped(id) }
  }

  /// Shows a title that a source's request has sent, until the upstream sends another one.
  package func announce(_ title: SentTitle, on id: String) async throws(RelayError) {
    try requireTitles(of: id)
    guard await ingest.announce(title, station: id) else { throw RelayError.stationStopped(id) }
  }

  /// Throws for a station that has its titles from another one, or from its files.
  private func requireTitles(of id: String) throws(RelayError) {
    let kind = try stations.station(id).definition.kind
    if kind.takesTitles { return }
    throw kind.parent.map { .titlesOfCopy(id, of: $0) } ?? RelayError.titlesOfFiles(id)
  }

  // MARK: Sources

  /// Whether a source may push at `path` with this password.
  package func welcome(sourceAt path: String, password: [UInt8]?) -> SourceWelcome {
    sourceDoor.welcome(sourceAt: path, password: password)
  }

  /// Whether a source of SHOUTcast's first protocol may push; its password says which station is meant.
  package func welcome(_ login: ShoutcastLogin, from host: String) -> SourceWelcome {
    sourceDoor.welcome(login, from: host)
  }

  /// Reserves the station for a source that is about to push. False when another source has the station. Returns no
  /// earlier than the relay has started.
  package func reserve(_ station: String, forSourceFrom host: String) async -> Bool {
    await startup.enter()
    startup.leave()
    guard await ingest.reserve(station: station) else { return false }
    logger.info("\(station): a source has connected from \(host)")
    return true
  }

  /// Connects a source to its station, unless a ban has come in between.
  package func connect(_ source: PushSource, to station: String) async {
    if let peer = source.peer, banList.holds(peer) { return }
    await ingest.accept(source, station: station)
  }

  /// Returns the station that a source's password opens: at the path `mount` or, without one, at any station.
  package func station(ofSource password: [UInt8], at mount: String?) -> String? {
    sourceDoor.station(ofSource: password, at: mount)
  }
}

// Parts without state of their own, made anew at each use.
extension Relay {
  var views: StationViews {
    StationViews(
      stations: stations, leftOut: leftOut, fallbacks: fallbacks, fillers: kit.fillers,
      soundMeters: soundMeters)
  }

  var stationPaths: StationPaths {
    StationPaths(stations: stations, data: dataPath, paths: options.paths, logger: logger)
  }

  var fallbackRules: FallbackRules {
    FallbackRules(stations: stations, paths: options.paths, logger: logger)
  }

  private var stationRules: StationRules {
    StationRules(
      stations: stations, leftOut: leftOut, paths: stationPaths, fallbacks: fallbackRules)
  }

  private var sourceDoor: SourceDoor { SourceDoor(stations: stations, logger: logger) }

  private var changes: StationChanges { StationChanges(kit: kit, rules: stationRules) }

  private var repair: LeftOutRepair {
    LeftOutRepair(kit: kit, leftOut: leftOut, rules: stationRules)
  }
}
