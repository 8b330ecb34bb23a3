import Ingest
import Server
import Timeshift
import Wire

/// A station as the relay holds it: its definition, its log, and what is remembered of it.
struct RelayStation: Sendable {
  /// Who wrote the definition down, and so who may change it.
  enum Origin: Hashable, Sendable {
    case file(String, line: Int)
    /// What the program was started with, as by `longwave relay`.
    case start
    case command

    /// Why it is not for commands to change it, in words that follow "it is"; nil when they may.
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
  var log: PacketLog
  let counters: MountCounters
  let sid: Int
  var isStopped: Bool
  /// What its upstream last said about itself.
  var headers: UpstreamHeaders?

  var id: String { definition.id }
  /// Whether its log is its own, and it is pulled.
  var isPulled: Bool { definition.isPulled }
  /// How much later than it was on air everything is heard.
  var delay: MediaTime { MediaTime(seconds: definition.delay ?? 0) }
  var name: String { definition.name ?? headers?.name ?? id }

  /// What the server serves of it.
  func mount(_ defaults: ListenerSettings) -> Mount {
    var description = Mount.Description()
    description.name = name
    description.genre = definition.genre ?? headers?.genre ?? ""
    description.text = definition.description ?? headers?.description ?? ""
    description.homepage = definition.homepage ?? headers?.url ?? ""
    description.isPublic = definition.isPublic
    description.bitrate = headers?.bitrate
    description.announced = announcement
    description.further = furtherFields
    var mount = Mount(
      station: id, sid: sid, paths: definition.mounts, log: log, description: description,
      settings: definition.listenerSettings(defaults), isStopped: isStopped, counters: counters)
    mount.delay = delay
    mount.files = definition.fileSource
    mount.access = definition.access
    return mount
  }

  private var announcement: ShownFormat.Announcement { headers?.announcement ?? .init() }

  /// What the upstream says of itself besides, with our own picture before its.
  private var furtherFields: [HTTPFields.Field] {
    var fields = (headers?.passedOn ?? []).map {
      HTTPFields.Field(name: $0.name, value: $0.value)
    }
    if let artwork = definition.artwork {
      fields.removeAll { $0.name == "icy-logo" }
      fields.append(.init(name: "icy-logo", value: artwork))
    }
    return fields
  }

  /// What is shown of it; `status` is nil while it is stopped.
  func snapshot(_ status: IngestStatus?) -> StationSnapshot {
    let snapshot = isPulled ? log.snapshot() : log.snapshot(delay: delay, at: .now())
    // A delayed one plays what there is, whatever its origin's upstream does.
    let isEmpty = snapshot.edge.media == snapshot.oldest.media
    let later = isEmpty && definition.files == nil ? StationState.buffering : .playing
    let own = isPulled ? status?.state ?? .connecting : later
    let state: StationState = isStopped ? .stopped : own
    var shown = StationSnapshot(id: id, sid: sid, name: name, state: state)
    shown.description = definition.description ?? headers?.description
    shown.genre = definition.genre ?? headers?.genre
    shown.homepage = definition.homepage ?? headers?.url
    shown.artwork = definition.artwork ?? headers?.logo.flatMap { WebURL.isValid($0) ? $0 : nil }
    if let status, !isStopped {
      shown.stateReason = status.stateReason.isEmpty ? nil : status.stateReason
      shown.upstream = StationSnapshot.Upstream(
        url: status.url, connectedSince: status.connectedSince, attempts: status.attempts,
        bytes: status.bytes, skipped: status.bytesSkipped)
      shown.metadata = status.metadata
    }
    shown.upstream.url = shown.upstream.url ?? definition.upstream.first
    let retention = log.retention
    shown.format = snapshot.format.map { ShownFormat($0, announced: announcement) }
    shown.bitrate =
      snapshot.bitrate > 0
      ? Int(bounded: snapshot.bitrate.rounded(), in: Bounds.bitrates) : headers?.bitrate
    shown.window = StationSnapshot.Window(
      snapshot, secondsMax: max(0, retention.time.seconds - delay.seconds),
      bytesMax: retention.bytes == .max ? nil : retention.bytes)
    shown.listeners = StationSnapshot.Listeners(
      now: counters.now, peak: counters.peak, total: counters.total)
    shown.nowPlaying = snapshot.title.map(NowPlaying.init) ?? NowPlaying()
    return shown
  }
}
