import Ingest
import Server
import Timeshift
import Wire

/// A copy of one station's properties and figures, as the API, the metrics and the commands show them.
public struct StationSnapshot: Sendable {
  /// The upstream that the station is pulled from, and what came from there.
  public struct Upstream: Hashable, Sendable {
    /// The URL that is connected, being tried or tried next; nil when the station is not pulled.
    public var url: String?
    /// The program whose output the station is, with its arguments; nil for any other station.
    public var command: [String]?
    /// When the running connection brought its first audio; nil when it has brought none.
    public var connectedSince: WallTime?
    /// Connections tried since the station was started.
    public var attempts = 0
    /// Bytes received since the station was started.
    public var bytes: UInt64 = 0
    /// Received bytes that were no audio: damaged, or garbage.
    public var skipped: UInt64 = 0
  }

  /// The past that the station keeps.
  public struct Window: Hashable, Sendable {
    /// Air time of the oldest packet; nil when the window is empty.
    public var oldest: WallTime?
    /// Air time of the live edge; nil when the window is empty.
    public var live: WallTime?
    /// Position of the oldest packet, in bytes of audio since the station began.
    public var oldestPosition: UInt64 = 0
    /// Position of the live edge, in the same bytes.
    public var livePosition: UInt64 = 0
    /// Seconds of audio from the oldest packet to the live edge.
    public var seconds = 0.0
    /// Bytes of audio from the oldest packet to the live edge.
    public var bytes: UInt64 = 0
    /// Most seconds of past that the station keeps.
    public var secondsMax = 0.0
    /// Most bytes of past that the station keeps; nil when bytes are not limited.
    public var bytesMax: UInt64?
    /// Bytes on disk, indexes included.
    public var onDisk: UInt64 = 0
    /// Bytes of audio in memory.
    public var inMemory = 0
    /// Segments on disk.
    public var segments = 0
    /// Stretches lost between memory and disk since this process began.
    public var holes = 0
    /// Segments in which damaged audio was found since this process began.
    public var segmentsDamaged = 0
    /// Seconds of audio that are not on the disk yet, about.
    public var secondsUnwritten = 0.0
    /// Whether the window is in memory only, on a disk, or on a disk that fails.
    public var storage = StorageState.memoryOnly
  }

  /// Numbers of listeners.
  public struct Listeners: Hashable, Sendable {
    /// Listeners at this moment.
    public var now = 0
    /// Highest number at once since this process began.
    public var peak = 0
    /// Listeners since the station was added, over restarts.
    public var total = 0
  }

  /// What listeners and commands may do with the station.
  public struct Rights: Hashable, Sendable {
    /// Whether listeners may listen elsewhere than live.
    public var shift = true
    /// Seconds behind live that listeners may go; nil for the whole window.
    public var offsetMax: Double?
    /// Whether clips may be fetched.
    public var clip = true
    /// Whether the station may be recorded.
    public var record = true
  }

  /// What monitors of Icecast are told of the station's definition.
  public struct MountFacts: Hashable, Sendable {
    /// Further paths besides `/ID`.
    public var paths: [String] = []
    /// Whether directories may list the station.
    public var isPublic = false
    /// How listeners are checked, in Icecast's word: `url`, `htpasswd`; nil where nobody checks them.
    public var authenticator: String?
    /// Highest number of listeners; nil for no limit of its own.
    public var listenersMax: Int?
    /// The station that listeners hear meanwhile; nil for none, and for what is no station.
    public var fallback: String?
  }

  /// A station that is the same programme at another bit rate.
  public struct Rendition: Hashable, Sendable {
    public var id: String
    /// kbit/s.
    public var bitrate: Int
  }

  /// The id in paths and commands: 1 to 64 of a-z 0-9 - _ .
  public var id: String
  /// The number of the station on SHOUTcast's pages.
  public var sid: Int
  /// The name for people: as defined, else as the upstream says, else the id.
  public var name: String
  /// A sentence about the station; nil when neither the definition nor the upstream has one.
  public var description: String?
  /// What the station plays; nil when neither the definition nor the upstream says.
  public var genre: String?
  /// The URL of the web page; nil when neither the definition nor the upstream has one.
  public var homepage: String?
  /// The URL of the picture; nil when neither the definition nor the upstream has one.
  public var artwork: String?
  /// How far the station's upstream has come.
  public var state: StationState
  /// Why the station is in this state, for people; nil when there is nothing to say.
  ///
  /// Lines behind the first are a program's own last words, for administrators.
  public var stateReason: String?
  /// The upstream, and what came from there.
  public var upstream = Upstream()
  /// Codec, sample rate and channels; nil when no audio has come.
  public var format: ShownFormat?
  /// Measured bitrate in kbit/s, or else the announced one; nil when unknown.
  public var bitrate: Int?
  /// The past that can be heard; empty for a station that serves files.
  public var window = Window()
  /// What monitors of Icecast are told of the definition.
  public var mount = MountFacts()
  /// Numbers of listeners.
  public var listeners = Listeners()
  /// What listeners and commands may do with the station; without meaning for a station that serves files.
  public var rights = Rights()
  /// The station that this one is a rendition of; nil for none.
  public var renditionOf: String?
  /// The stations that are made of this one.
  public var renditions: [Rendition] = []
  /// When the first of a later copy is on air; nil for what is on air already.
  public var beginsAt: WallTime?
  /// State of the page of titles; nil when the station has no such page, or is stopped.
  public var metadata: MetadataStatus?
  /// The fallback that listeners hear at the moment; nil while they hear the station's own audio.
  public var fallback: FallbackSetting?
  /// The title on air; empty when there is none.
  public var nowPlaying = NowPlaying()
  /// What is known of the station's sound.
  public var sound = SoundState()
  /// Whether everybody may hear the station: how loud it is, is told to everybody then.
  public var isHeardByAll = true
  /// Whether the station is the configuration's, so that commands cannot change it.
  public var isConfigured = false

  /// Makes the snapshot of a station of which nothing else is known yet.
  public init(id: String, sid: Int, name: String, state: StationState) {
    self.id = id
    self.sid = sid
    self.name = name
    self.state = state
  }
}

extension StationSnapshot {
  /// The path that listeners and monitors are told.
  public var mountName: String {
    MountName.shown(station: id, paths: mount.paths, renditionOf: renditionOf)
  }

  /// Returns the station as a JSON object; `identified` shows the queries of upstream URLs, which often are passwords.
  package func json(identified: Bool) -> JSON {
    let shown = shown(identified)
    guard identified else { return shown }
    return .object(shown.members + [.init(key: "isConfigured", value: .bool(isConfigured))])
  }

  private func shown(_ identified: Bool) -> JSON {
    [
      "id": .string(id), "name": .string(name), "description": JSON(description),
      "genre": JSON(genre), "homepage": JSON(homepage), "artwork": JSON(artwork),
      "state": .string(state.rawValue), "stateReason": JSON(reason(identified)), "sid": JSON(sid),
      "upstream": [
        "url": JSON(shownURL(identified)), "command": commandJSON(identified),
        "connectedSince": JSON(upstream.connectedSince),
        "attempts": JSON(upstream.attempts), "bytes": JSON(upstream.bytes),
        "skipped": JSON(upstream.skipped),
      ],
      "format": formatJSON, "window": window.json,
      "listeners": [
        "now": JSON(listeners.now), "peak": JSON(listeners.peak), "total": JSON(listeners.total),
      ],
      "rights": [
        "shift": .bool(rights.shift), "offsetMax": JSON(rights.offsetMax),
        "clip": .bool(rights.clip), "record": .bool(rights.record),
      ],
      "renditionOf": JSON(renditionOf),
      "renditions": .array(
        renditions.map { ["id": .string($0.id), "bitrate": JSON($0.bitrate)] }),
      "beginsAt": JSON(beginsAt),
      "metadata": metadataJSON(identified),
      "fallback": JSON(identified ? fallback?.text : fallback?.publicText),
      "sound": (identified || isHeardByAll ? sound : sound.withoutFigures).json,
      "nowPlaying": nowPlaying.json,
    ]
  }

  private func metadataJSON(_ identified: Bool) -> JSON {
    guard let metadata else { return .null }
    return [
      "url": .string(
        identified
          ? URLText.withoutCredentials(metadata.url) : URLText.withoutSecrets(metadata.url)),
      "answers": JSON(metadata.answers), "failures": JSON(metadata.failures),
      "trouble": JSON(metadata.trouble),
    ]
  }

  private func reason(_ identified: Bool) -> String? {
    identified ? stateReason : stateReason.map(IngestEvent.publicPart)
  }

  /// Arguments often are passwords, so only administrators see them.
  private func commandJSON(_ identified: Bool) -> JSON {
    identified ? .list((upstream.command ?? []).map(JSON.string)) : .null
  }

  private func shownURL(_ identified: Bool) -> String? {
    upstream.url.map(identified ? URLText.withoutCredentials : URLText.withoutSecrets)
  }

  private var formatJSON: JSON {
    let channels = format?.channels ?? 0
    return [
      "codec": JSON(format?.codec.name), "mediaType": JSON(format?.mediaType),
      "bitrate": JSON(bitrate), "sampleRate": JSON(format?.sampleRate),
      "channels": JSON(channels > 0 ? channels : nil),
    ]
  }
}

extension StationSnapshot.Window {
  var json: JSON {
    [
      "oldest": JSON(oldest), "live": JSON(live), "oldestPosition": JSON(oldestPosition),
      "livePosition": JSON(livePosition), "seconds": .number(seconds), "bytes": JSON(bytes),
      "secondsMax": .number(secondsMax), "bytesMax": JSON(bytesMax), "onDisk": JSON(onDisk),
      "storage": .string(storageWord),
    ]
  }

  package var storageWord: String {
    switch storage {
    case .memoryOnly: "memory-only"
    case .healthy: "healthy"
    case .failed: "failed"
    }
  }

  init(_ log: LogSnapshot, secondsMax: Double, bytesMax: UInt64?) {
    let isEmpty = log.edge.position == log.oldest.position
    oldest = isEmpty ? nil : log.oldestAir
    live = isEmpty ? nil : log.edgeAir
    oldestPosition = log.oldest.position
    livePosition = log.edge.position
    seconds = (log.edge.media - log.oldest.media).seconds
    bytes = log.audioBytes
    self.secondsMax = secondsMax
    self.bytesMax = bytesMax
    onDisk = log.bytesOnDisk
    inMemory = log.bytesInMemory
    segments = log.segments
    holes = log.holes
    segmentsDamaged = log.segmentsDamaged
    secondsUnwritten = log.secondsUnwritten
    storage = log.storage
  }
}
