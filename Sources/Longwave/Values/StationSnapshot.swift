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
    /// Highest number at once since this process began, those of HLS among them.
    public var peak = 0
    /// Listeners since the station was added, over restarts.
    public var total = 0
    /// Listeners of HLS at this moment; they are not among those of `now`.
    public var hls = 0
  }

  /// How the station is given as HLS.
  public struct HLS: Hashable, Sendable {
    /// The path of the playlist of its qualities; nil where there is none.
    public var url: String?
    /// Why there is none.
    public var reason: String?
    /// Seconds of a segment.
    public var segment = 0
    /// Seconds that are listed at most.
    public var window = 0.0
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
    /// Whether lists for everybody have it.
    public var isListed = true
  }

  /// A show while it is on air, or before.
  public struct Show: Hashable, Sendable {
    public var name: String
    public var start: WallTime
    public var end: WallTime
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
  /// Whether lists for everybody have the station.
  public var isListed = true
  /// How far the station's upstream has come.
  public var state: StationState
  /// Whether encoders bring all of its audio: while it connects, it is off the air.
  public var isPushed = false
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
  public var hls = HLS()
  /// What listeners and commands may do with the station; without meaning for a station that serves files.
  public var rights = Rights()
  /// The station that this one is a rendition of; nil for none.
  public var renditionOf: String?
  /// The stations that are made of this one.
  public var renditions: [Rendition] = []
  /// Seconds by which a copy is heard later than its original; nil for any other station.
  public var delay: Double?
  /// When a delayed copy's first packet goes on air; nil if it has.
  public var beginsAt: WallTime?
  /// State of the page of titles; nil when the station has no such page, or is stopped.
  public var metadata: MetadataStatus?
  /// The fallback that listeners hear at the moment; nil while they hear the station's own audio.
  public var fallback: FallbackSetting?
  /// What its programme plays; nil of a station that is none.
  package var programme: ProgrammeGlance?
  /// The title on air; empty when there is none.
  public var nowPlaying = NowPlaying()
  /// The show on air; nil for none.
  public var show: Show?
  /// The show that begins next; nil for none.
  public var nextShow: Show?
  /// What is known of the station's sound.
  public var sound = SoundState()
  /// Whether everybody may hear the station: how loud it is, is told to everybody then.
  public var isHeardByAll = true
  /// What opens the station to a listener: `token`, `password`; empty where nothing is needed.
  public var auth: [String] = []
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
  /// Takes over what the station's own definition says, whatever its original or its upstream says.
  mutating func show(_ definition: StationDefinition) {
    mount = MountFacts(
      paths: definition.mounts, isPublic: definition.isPublic,
      authenticator: definition.auth?.authenticator, listenersMax: definition.listenersMax,
      fallback: definition.fallback?.station)
    renditionOf = definition.renditionOf
    auth = definition.auth?.ways ?? []
  }

  /// The renditions that lists have; all of them where the station itself has to be known by name.
  package var publicRenditions: [Rendition] { renditions.filter { $0.isListed || !isListed } }

  /// The path that listeners and monitors are told.
  public var mountName: String {
    MountName.shown(station: id, paths: mount.paths, renditionOf: renditionOf)
  }

  /// Returns the station as a JSON object; `identified` shows the queries of upstream URLs, which often are passwords.
  package func json(identified: Bool) -> JSON {
    let members = Shown.shape.members(of: Shown(station: self, isIdentified: identified))
    guard identified else { return .object(members) }
    return .object(members + [.init(key: "isConfigured", value: .bool(isConfigured))])
  }

  package static let schema = Schema.object(
    Shown.shape.fields() + [("isConfigured", Schema.flag)], needed: Shown.shape.map(\.name))
}

/// A station as somebody may see it.
private struct Shown: Sendable {
  let station: StationSnapshot
  /// Whether an administrator looks.
  let isIdentified: Bool

  static let shape: [Shape<Shown>] = [
    Shape("id", \.station.id), Shape("name", \.station.name),
    Shape("description", \.station.description), Shape("genre", \.station.genre),
    Shape("homepage", \.station.homepage), Shape("artwork", \.station.artwork),
    Shape("auth", Schema.list(Schema.words(["token", "password"]))) { $0.station.auth.json },
    Shape("listed", \.station.isListed),
    Shape("state", \.station.state),
    Shape("stateReason") {
      $0.isIdentified
        ? $0.station.stateReason : $0.station.stateReason.map(IngestEvent.publicPart)
    },
    Shape("pushed", \.station.isPushed), Shape("sid", \.station.sid),
    Shape(
      "upstream",
      [
        Shape("url") { shown in shown.station.upstream.url.map(shown.url) },
        Shape("command", \.command),
        Shape("connectedSince", \.station.upstream.connectedSince),
        Shape("attempts", \.station.upstream.attempts), Shape("bytes", \.station.upstream.bytes),
        Shape("skipped", \.station.upstream.skipped),
      ]),
    Shape(
      "format",
      [
        Shape("codec", \.station.format?.codec.name),
        Shape("mediaType", \.station.format?.mediaType), Shape("bitrate", \.station.bitrate),
        Shape("sampleRate", \.station.format?.sampleRate),
        Shape("channels") { $0.station.format.flatMap { $0.channels > 0 ? $0.channels : nil } },
      ]),
    Shape("window", \.station.window), Shape("listeners", \.station.listeners),
    Shape(
      "hls",
      [
        Shape("url", \.station.hls.url), Shape("reason", \.station.hls.reason),
        Shape("segment", \.station.hls.segment), Shape("window", \.station.hls.window),
        Shape("listeners", \.station.listeners.hls),
      ]),
    Shape("rights", \.station.rights), Shape("renditionOf", \.station.renditionOf),
    Shape("renditions", \.renditions), Shape("beginsAt", \.station.beginsAt),
    Shape("delay", \.station.delay), Shape("show", \.station.show),
    Shape("nextShow", \.station.nextShow),
    Shape("metadata", Schema.known(metadata.schema())) { shown in
      shown.station.metadata.map { metadata.json(of: (shown, $0)) } ?? .null
    },
    Shape("fallback") {
      $0.isIdentified ? $0.station.fallback?.text : $0.station.fallback?.publicText
    },
    Shape("sound") {
      $0.isIdentified || $0.station.isHeardByAll
        ? $0.station.sound : $0.station.sound.withoutFigures
    },
    Shape("nowPlaying", Schema.named("NowPlaying")) { $0.station.nowPlaying.json },
    Shape("programme", Schema.known(ProgrammeGlance.schema)) { shown in
      shown.station.programme?.json(identified: shown.isIdentified) ?? .null
    },
  ]

  private static let metadata: [Shape<(shown: Shown, status: MetadataStatus)>] = [
    Shape("url") { $0.shown.url($0.status.url) }, Shape("answers") { $0.status.answers },
    Shape("failures") { $0.status.failures }, Shape("trouble") { $0.status.trouble },
  ]

  private var renditions: [StationSnapshot.Rendition] {
    isIdentified ? station.renditions : station.publicRenditions
  }

  /// Arguments often are passwords, so only administrators see them.
  private var command: [String]? {
    isIdentified && station.upstream.command?.isEmpty == false ? station.upstream.command : nil
  }

  private func url(_ url: String) -> String {
    isIdentified ? URLText.withoutCredentials(url) : URLText.withoutSecrets(url)
  }
}

extension StationState: Shaped {}

extension StationSnapshot.Show: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("name", \.name), Shape("start", \.start), Shape("end", \.end),
  ]
}

extension StationSnapshot.Listeners: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("now", \.now), Shape("peak", \.peak), Shape("total", \.total), Shape("hls", \.hls),
  ]
}

extension StationSnapshot.Rights: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("shift", \.shift), Shape("offsetMax", \.offsetMax), Shape("clip", \.clip),
    Shape("record", \.record),
  ]
}

extension StationSnapshot.Rendition: ShapedObject {
  package static let shape: [Shape<Self>] = [Shape("id", \.id), Shape("bitrate", \.bitrate)]
}

extension StationSnapshot.Window: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("oldest", \.oldest), Shape("live", \.live), Shape("oldestPosition", \.oldestPosition),
    Shape("livePosition", \.livePosition), Shape("seconds", \.seconds), Shape("bytes", \.bytes),
    Shape("secondsMax", \.secondsMax), Shape("bytesMax", \.bytesMax), Shape("onDisk", \.onDisk),
    Shape("storage", Schema.words(["memory-only", "healthy", "failed"])) { $0.storageWord.json },
  ]

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
