import Ingest
import Programmes
import Reactor
import Server
import Timeshift
import Wire

/// A station as it was written: in the file, by command, or through the API.
///
/// A property that is nil comes from the configuration's defaults, or from what the upstream announces.
public struct StationDefinition: Hashable, Sendable {
  /// The id in paths and commands: 1 to 64 of a-z 0-9 - _ .
  public var id: String
  /// The name for people; nil for the upstream's own.
  public var name: String?
  /// A sentence about the station.
  public var description: String?
  /// What the station plays.
  public var genre: String?
  /// The URL of the station's web page.
  public var homepage: String?
  /// The URL of the station's picture.
  public var artwork: String?
  /// Where the audio comes from: upstreams, another station, or files.
  public var source: StationSource
  /// Whether stream directories may list the station: `icy-pub`.
  public var isPublic = false
  /// Whether pages and lists for everybody have the station; by its name it can be heard in any case.
  public var isListed = true
  /// Further exact paths besides `/ID`, each with its slash.
  public var mounts: [String] = []

  /// Seconds of past; nil for `timeshift.window`.
  public var window: Double?
  /// Whether listeners whose line is too slow go on with a rendition of fewer bits.
  public var stepsDown = false
  /// Seconds of audio that a newcomer is sent at once.
  public var burst: Double?
  /// Treatment of a listener that is too slow.
  public var behind: ListenerSettings.Behind?
  /// Seconds behind its place at which a listener is too slow.
  public var lagMax: Double?
  /// Seconds after which a listener that takes no byte is ended; 0 for never.
  public var pauseTimeout: Double?
  /// Bytes of audio between two ICY blocks.
  public var metaint: Int?
  /// `User-Agent` that upstreams are sent.
  public var userAgent: String?
  /// Type that the upstreams' audio is treated as; nil for what the bytes say.
  public var type: AudioType?
  /// How the station's upstreams are reached, where that differs from other stations.
  public var connection = ConnectionSettings()
  /// Whether listeners may listen elsewhere than live.
  public var shift: Bool?
  /// Seconds behind live that listeners may go; nil for `listeners: offset-max`.
  public var offsetMax: Double?
  /// Whether pieces of the window may be fetched as files; nil when they may where `shift` allows listening.
  public var clip: Bool?
  /// Whether the station is given as HLS, and how; nil for `listeners: hls`, or the rule of its original.
  public var hls: HLSRule?
  /// Highest number of listeners at once.
  public var listenersMax: Int?
  /// Seconds after which a listener is ended; 0 for never.
  public var listeningTimeMax: Double?
  /// Rules for who may listen, besides the server's own rules.
  public var access = AccessRules()
  /// Further conditions for listeners; nil when the rules alone decide.
  public var auth: AuthSettings?
  /// Whether the station is pulled only while somebody listens.
  public var onDemand = false
  /// Seconds that the station is pulled on after its last listener has gone.
  public var runOn = 30.0
  /// Fallback for listeners while no upstream delivers; nil for none.
  public var fallback: FallbackSetting?
  /// Seconds without upstream audio before which no listener goes to the fallback, unless the upstream said goodbye.
  public var fallbackAfter = 1.0
  /// How the samples of a program, or of a rendition's original, are encoded; nil where nothing is.
  public var encode: PCMEncoding?
  /// Conditions that are watched for in the station's sound.
  public var sound = SoundRules()
  /// Password that a source needs to push audio; without one no source may.
  public var sourcePassword: String?
  /// How titles that are not UTF-8 are read.
  public var encoding: TextEncoding?
  /// Patterns that take titles apart; the first that fits counts. Without one, titles are split at the first dash.
  public var titlePatterns: [TitlePattern] = []
  /// A page that says what the station is playing.
  public var metadata: MetadataSettings?
  /// Seconds by which titles take effect later than announced; negative for earlier.
  public var titleShift = 0.0
  /// Whether the station may be recorded at all.
  public var allowsRecording = true
  /// The weekly schedule of recordings.
  public var record: [RecordingRule] = []
  /// The shows that people know; a copy or rendition without any has its original's.
  public var shows: [Show] = []
  /// Time zone of the times in `record` and `shows`; nil for the server's.
  public var timeZone: ZoneOffsets?

  /// Makes a station with this source, and the defaults for everything else.
  public init(id: String, name: String? = nil, source: StationSource) {
    self.id = id
    self.name = name
    self.source = source
  }

  /// Makes a station that is pulled from these URLs, in order of preference.
  public init(id: String, name: String? = nil, upstream: [String]) {
    self.init(id: id, name: name, source: .upstream(upstream))
  }
}

extension StationDefinition {
  /// Whether an ingest worker pulls the station's upstreams.
  public var isPulled: Bool { kind.filler == .ingest }

  /// Whether encoders bring all of the station's audio.
  package var isOnlyPushed: Bool { upstream == [PushSource.url] }

  /// Whether the station writes a log of its own, which takes its share of the disk.
  public var hasOwnLog: Bool { kind.filler != nil }

  /// The program whose output the station is; nil for any other station.
  package var program: ProgramCall? {
    if case .command(let program) = source { return program }
    if case .soundInput(let input) = source { return input.call(encode ?? PCMEncoding()) }
    return nil
  }

  /// The station's sources: its URLs, or the text shown in place of a program's.
  package var pulledFrom: [String] {
    program.map { [UpstreamSettings.shownURL(of: $0)] } ?? upstream
  }

  /// The URLs that the station is pulled from; empty when it is not pulled by URL.
  public var upstream: [String] {
    if case .upstream(let urls) = source { urls } else { [] }
  }

  /// The station that this one is a copy of; nil when it is no copy.
  public var original: String? {
    if case .copy(let original, _) = source { original } else { nil }
  }

  /// The station that this one is a rendition of; nil when it is no rendition.
  public var renditionOf: String? {
    if case .rendition(let original) = source { original } else { nil }
  }

  /// The station whose audio this one needs; nil when it has its own.
  package var parent: String? { kind.parent }

  /// The stations that have to play for this one to play: its parent, or those that its programme names.
  package var needed: [String] { parent.map { [$0] } ?? programme?.stations ?? [] }

  /// kbit/s that a rendition is encoded at; nil for any other station.
  package var madeBitrate: Int? { kind.isRendition ? encode?.bitrate : nil }

  /// How much later than its original everything is heard.
  public var delay: MediaTime {
    if case .copy(_, let seconds) = source { MediaTime(seconds: seconds) } else { .zero }
  }

  /// What the station plays by rules; nil for a station that is no programme.
  public var programme: Programme? {
    if case .programme(let programme) = source { programme } else { nil }
  }

  /// The files that the station serves; nil for a stream.
  public var files: FileSource? {
    guard case .files(let root, let throttleBypass) = source else { return nil }
    return FileSource(
      root: root,
      throttleBypass: throttleBypass.map { MediaTime(seconds: $0) }
        ?? FileSource.throttleBypassDefault)
  }

  /// Whether a source may push the station's audio.
  public var takesSources: Bool { kind.takesSources }

  /// The paths that lead to the stream. Among the further ones the id may stand too: the first is what monitors see.
  public var paths: [String] { ["/" + id] + mounts.filter { $0 != "/" + id } }

  /// Whether the station rests while nobody listens; with a source that pushes at any time it cannot rest.
  public var rests: Bool { onDemand && !takesSources && hasOwnLog }

  /// Returns the seconds that a request waits for the first packet; nil for the usual time. A station on demand has to
  /// connect first.
  public func firstPacketTimeout(_ defaults: UpstreamSettings) -> Double? {
    rests ? defaults.connectTimeout + 5 : nil
  }
}
