import Ingest
import Server
import Timeshift
import Wire

/// A station as somebody wrote it down: in the file, by command, or through the API.
///
/// What is nil here comes from the configuration's defaults, or from what the upstream announces.
public struct StationDefinition: Hashable, Sendable {
  public var id: String
  public var name: String?
  public var description: String?
  public var genre: String?
  public var homepage: String?
  public var artwork: String?
  public var source: StationSource
  /// Whether stream directories may list it: `icy-pub`.
  public var isPublic = false
  /// Further exact paths besides `/ID`, each with its slash.
  public var mounts: [String] = []

  /// Seconds of past; nil: `timeshift.window`.
  public var window: Double?
  public var burst: Double?
  public var behind: ListenerSettings.Behind?
  public var lagMax: Double?
  public var pauseTimeout: Double?
  public var metaint: Int?
  public var userAgent: String?
  /// What its upstreams are made to be; nil: what their bytes say.
  public var type: AudioType?
  /// How its upstreams are reached, where that differs from everywhere else.
  public var connection = ConnectionSettings()
  /// Whether anybody may go elsewhere than live, and how far, in seconds.
  public var shift: Bool?
  public var offsetMax: Double?
  /// Whether pieces of its window may be fetched as files; nil: where `shift` lets people go there.
  public var clip: Bool?
  public var listenersMax: Int?
  public var listeningTimeMax: Double?
  /// Who may listen to it, besides the server's own rules.
  public var access = AccessRules()
  /// Who may listen besides; nil: whoever the rules admit.
  public var auth: AuthSettings?
  /// Whether it is pulled only while somebody listens.
  public var onDemand = false
  /// How long it is pulled on when nobody listens any more, seconds.
  public var runOn = 30.0
  /// What listeners get while no upstream delivers; nil: nothing.
  public var fallback: FallbackSetting?
  /// How long nothing must have come before they do, seconds.
  public var fallbackAfter = 10.0
  /// What a source must know to push its audio; without one no source may.
  public var sourcePassword: String?
  /// How its titles are read where they are not UTF-8.
  public var encoding: TextEncoding?
  /// How its titles are taken apart, the first that fits; without one, at the first dash.
  public var titlePatterns: [TitlePattern] = []
  /// A page that says what it is playing.
  public var metadata: MetadataSettings?
  /// How much later than announced its titles take effect, seconds; negative: earlier.
  public var titleShift = 0.0
  /// Whether it may be recorded at all.
  public var allowsRecording = true
  /// What is recorded of it every week.
  public var record: [RecordingRule] = []
  /// Of the times in `record`; nil: the server's.
  public var timeZone: ZoneOffsets?

  public init(id: String, name: String? = nil, source: StationSource) {
    self.id = id
    self.name = name
    self.source = source
  }

  public init(id: String, name: String? = nil, upstream: [String]) {
    self.init(id: id, name: name, source: .upstream(upstream))
  }
}

extension StationDefinition {
  /// Whether it has a log of its own, and audio to come into it.
  public var isPulled: Bool {
    if case .upstream = source { true } else { false }
  }

  /// The URLs it is pulled from; empty: it is not pulled.
  public var upstream: [String] {
    if case .upstream(let urls) = source { urls } else { [] }
  }

  /// The station that this one is a delayed copy of; nil: it is none.
  public var original: String? {
    if case .copy(let original, _) = source { original } else { nil }
  }

  /// How much later than its original everything is heard.
  public var delay: MediaTime {
    if case .copy(_, let seconds) = source { MediaTime(seconds: seconds) } else { .zero }
  }

  /// The files it serves; nil: it is a stream.
  public var files: FileSource? {
    guard case .files(let root, let throttleBypass) = source else { return nil }
    return FileSource(
      root: root,
      throttleBypass: throttleBypass.map { MediaTime(seconds: $0) }
        ?? FileSource.throttleBypassDefault)
  }

  /// Whether a source may push its audio.
  public var takesSources: Bool { upstream.contains(PushSource.url) }

  /// The paths that lead to its stream.
  public var paths: [String] { ["/" + id] + mounts }

  /// How its listeners are served: the defaults with what the station says itself.
  public func listenerSettings(_ defaults: ListenerSettings) -> ListenerSettings {
    var settings = defaults
    if let burst { settings.burst = MediaTime(seconds: burst) }
    if let behind { settings.behind = behind }
    if let lagMax { settings.lagMax = MediaTime(seconds: lagMax) }
    if let pauseTimeout { settings.pauseTimeout = pauseTimeout }
    if let metaint { settings.metaint = metaint }
    if let shift { settings.allowsShift = shift }
    // Whoever may not hear the past may not take it along either, unless that is said.
    if shift == false { settings.allowsClips = nil }
    if let clip { settings.allowsClips = clip }
    if let offsetMax { settings.offsetMax = MediaTime(seconds: offsetMax) }
    if let listenersMax { settings.listenersMax = listenersMax }
    if let listeningTimeMax { settings.listeningTimeMax = listeningTimeMax }
    return settings
  }

  /// How it is pulled: the defaults with its own URLs and name.
  public func upstreamSettings(_ defaults: UpstreamSettings) -> UpstreamSettings {
    var settings = defaults
    settings.urls = upstream
    settings.type = type
    if let userAgent { settings.userAgent = userAgent }
    connection.apply(to: &settings)
    if let encoding { settings.encoding = encoding }
    settings.titlePatterns = titlePatterns
    settings.metadata = metadata
    settings.titleShift = titleShift
    return settings
  }

  /// Whether it rests while nobody listens; a source that pushes comes when it likes.
  public var rests: Bool { onDemand && !takesSources && isPulled }

  /// How long a request waits for the first packet, seconds; nil: as everywhere. One on demand connects first.
  public func firstPacketTimeout(_ defaults: UpstreamSettings) -> Double? {
    rests ? defaults.connectTimeout + 5 : nil
  }
}
