import Ingest
import Reactor
import Server
import Timeshift
import Wire

/// A station as the relay holds it: its definition, its log, and what the relay remembers of it.
struct RelayStation: Sendable {
  /// Where the definition comes from, which decides whether commands may change it.
  enum Origin: Hashable, Sendable {
    case file(String, line: Int)
    /// The program's start gave the definition, as `longwave relay` does.
    case start
    case command

    /// Why commands may not change the station, in words that follow "it is"; nil when they may.
    var place: String? {
      switch self {
      case .file(let file, let line): "written in \(file):\(line)"
      case .start: "what this server was started with"
      case .command: nil
      }
    }
  }

  var definition: StationDefinition
  var origin: Origin
  /// The station's own log or, for a copy, the original's; nil for a station that serves files.
  var log: PacketLog?
  let counters: MountCounters
  let sid: Int
  var isStopped: Bool
  /// The upstream's last words about itself; of a copy or a rendition, those of its original's upstream.
  var headers: UpstreamHeaders?
  /// Definition of the station that this one is a copy or a rendition of. What it says counts for this one, too.
  var original: StationDefinition?

  var id: String { definition.id }
  /// The station on demand with which this one wakes and rests: itself, or the original of a rendition that is made
  /// whenever that one plays. Nil for a station that never rests.
  var restsWith: String? {
    if definition.rests { return id }
    guard definition.kind.isRendition, let original, original.rests else { return nil }
    return original.id
  }
  /// The log that the station writes; nil for one that plays another's log, or files.
  var ownLog: PacketLog? { definition.hasOwnLog ? log : nil }
  /// How much later than on air listeners hear everything.
  var delay: MediaTime { definition.delay }
  var name: String { definition.name ?? originalName ?? id }
  /// The original's name, or the upstream's; with the bit rate of a rendition.
  private var originalName: String? {
    (original?.name ?? headers?.name).map { name in
      definition.madeBitrate.map { "\(name) (\($0) kbit/s)" } ?? name
    }
  }
  /// Whether lists for everybody have the station. A rendition is not listed where its original is not.
  var isListed: Bool {
    definition.isListed && (definition.renditionOf == nil || original?.isListed ?? true)
  }
  /// Directories are lists for everybody.
  private var isPublic: Bool { definition.isPublic && isListed }
  private var isPushed: Bool {
    definition.isOnlyPushed
      || (definition.renditionOf != nil && original?.isOnlyPushed ?? false)
  }
  private var genre: String? { definition.genre ?? original?.genre ?? headers?.genre }
  private var text: String? {
    definition.description ?? original?.description ?? headers?.description
  }
  private var homepage: String? { definition.homepage ?? original?.homepage ?? headers?.url }
  /// The picture's URL that was written for the station; nil for none, whatever the upstream announces.
  var ownArtwork: String? { definition.artwork ?? original?.artwork }

  /// Returns what the server serves of the station.
  func mount(_ defaults: ListenerSettings) -> Mount {
    var description = Mount.Description()
    description.name = name
    description.genre = genre ?? ""
    description.text = text ?? ""
    description.homepage = homepage ?? ""
    description.isPublic = isPublic
    description.bitrate = definition.madeBitrate ?? headers?.bitrate
    description.announced = announcement
    description.further = furtherFields
    var mount = Mount(
      station: id, sid: sid, paths: definition.mounts, content: content, description: description,
      settings: definition.listenerSettings(defaults, of: original), isStopped: isStopped,
      counters: counters)
    mount.access = definition.access
    mount.renditionOf = definition.renditionOf
    mount.isListed = isListed
    return mount
  }

  private var content: Mount.Content {
    if let files = definition.files { return .files(files) }
    return log.map { .stream($0, delay: delay) } ?? .nothing
  }

  private var announcement: ShownFormat.Announcement {
    definition.kind.isRendition ? .init() : headers?.announcement ?? .init()
  }

  /// Further fields that the upstream sends, with the station's own picture in place of the upstream's.
  private var furtherFields: [HTTPFields.Field] {
    var fields = (headers?.passedOn ?? []).map {
      HTTPFields.Field(name: $0.name, value: $0.value)
    }
    if let artwork = ownArtwork {
      fields.removeAll { $0.name == "icy-logo" }
      fields.append(.init(name: "icy-logo", value: artwork))
    }
    return fields
  }

  private func state(_ status: IngestStatus?, _ snapshot: LogSnapshot?) -> StationState {
    if definition.hasOwnLog { return status?.state ?? .connecting }
    // A copy plays what the log has, whatever the upstream of its original does.
    guard let snapshot else { return .playing }
    return snapshot.edge.media == snapshot.oldest.media ? .buffering : .playing
  }

  /// Returns what is shown of the station; `status` is nil while the station is stopped.
  func snapshot(_ status: IngestStatus?) -> StationSnapshot {
    let snapshot = definition.hasOwnLog ? log?.snapshot() : log?.snapshot(delay: delay, at: .now())
    let state = isStopped ? .stopped : state(status, snapshot)
    var shown = StationSnapshot(id: id, sid: sid, name: name, state: state)
    shown.show(definition)
    shown.delay = delay == .zero ? nil : delay.seconds
    (shown.isListed, shown.isPushed) = (isListed, isPushed)
    shown.mount.isPublic = isPublic
    shown.description = text
    shown.genre = genre
    shown.homepage = homepage
    shown.artwork = ownArtwork ?? headers?.logo.flatMap { WebURL.isValid($0) ? $0 : nil }
    if let status, !isStopped {
      shown.stateReason = status.stateReason.isEmpty ? nil : status.stateReason
      shown.upstream = StationSnapshot.Upstream(
        url: status.url, connectedSince: status.connectedSince, attempts: status.attempts,
        bytes: status.bytes, skipped: status.bytesSkipped)
      shown.metadata = status.metadata
    }
    shown.upstream.url = shown.upstream.url ?? definition.pulledFrom.first
    shown.upstream.command = definition.program?.arguments
    shown.bitrate = definition.madeBitrate ?? headers?.bitrate
    shown.listeners = StationSnapshot.Listeners(
      now: counters.now, peak: counters.peak, total: counters.total, hls: counters.hls)
    if let snapshot, let retention = log?.retention {
      shown.show(snapshot, announced: announcement)
      shown.window = StationSnapshot.Window(
        snapshot, secondsMax: max(0, retention.time.seconds - delay.seconds),
        bytesMax: retention.bytes == .max ? nil : retention.bytes)
      if !definition.hasOwnLog {
        // The storage is its original's.
        (shown.window.onDisk, shown.window.inMemory, shown.window.segments) = (0, 0, 0)
        if state == .buffering, snapshot.edgeAir > Moment.now().wall {
          shown.beginsAt = snapshot.edgeAir
          shown.stateReason = "nothing of it is on air before \(snapshot.edgeAir.rfc3339)"
        }
      }
    }
    return shown
  }
}

extension StationSnapshot {
  /// Takes over format, bitrate and title from the station's log.
  fileprivate mutating func show(_ log: LogSnapshot, announced: ShownFormat.Announcement) {
    format = log.format.map { ShownFormat($0, announced: announced) }
    if log.bitrate > 0 { bitrate = Int(bounded: log.bitrate.rounded(), in: Bounds.bitrates) }
    nowPlaying = log.title.map(NowPlaying.init) ?? NowPlaying()
  }
}

extension [RelayStation] {
  /// Logs of the stations that have their own, by station.
  var ownLogs: [(id: String, log: PacketLog)] {
    compactMap { station in station.ownLog.map { (station.id, $0) } }
  }
}
