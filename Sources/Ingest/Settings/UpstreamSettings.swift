import Reactor
import Wire

/// A station's settings for its upstreams. Times are in seconds.
public struct UpstreamSettings: Hashable, Sendable {
  /// The upstreams' URLs in order of preference: streams, files or playlists, http or https, userinfo allowed.
  public var urls: [String]
  /// The program whose standard output is the stream; `urls` has its name only.
  public private(set) var program: ProgramCall?
  /// How samples that the program writes are encoded; nil where it writes encoded audio.
  public var encode: PCMEncoding?
  public var userAgent = "Longwave/1.0"
  /// The time-out for resolving and connecting; shorter while the last success is recent (`ReconnectSettings`).
  public var connectTimeout = 10.0
  /// The time without a byte after which a connection counts as dead.
  public var dataTimeout = 15.0
  /// The kind of audio that is assumed; nil: as the bytes show.
  public var type: AudioType?
  /// The charset of titles and headers that are not UTF-8.
  public var encoding = TextEncoding.auto
  /// Patterns for splitting titles; the first that fits counts.
  public var titlePatterns: [TitlePattern] = []
  /// A page of titles, for upstreams that send none, or bad ones.
  public var metadata: MetadataSettings?
  /// How much later than announced a title takes effect in the audio, in seconds; negative for earlier.
  public var titleShift = 0.0
  /// The seconds of audio in its log from which on a station counts as playing. They delay nothing.
  public var prebuffer = 0.0
  /// How far the live edge may run ahead of real time.
  public var leadMax = 90.0
  /// Whether ICY titles are asked for: `Icy-MetaData: 1`.
  public var asksForTitles = true
  /// Further request header lines, `Name: value`.
  public var requestHeaders: [String] = []
  /// The proxy: `http://`, `https://`, `socks5://` or `socks5h://` HOST:PORT, userinfo allowed.
  ///
  /// Nil: as the environment says (`http_proxy` and its kin).
  public var proxy: String?
  public var verifyTLS = true
  /// Whether servers of the world may lead to private addresses and to this machine.
  public var allowsPrivate = false
  /// The path of a PEM file of certificate authorities to trust in place of the system's.
  public var caFile: String?

  public var reconnect = ReconnectSettings()
  public var stitch = StitchSettings()
  public var trial = TrialSettings()

  public init(urls: [String]) {
    self.urls = urls
  }

  /// Makes a program the only upstream.
  public mutating func run(_ program: ProgramCall) {
    self.program = program
    urls = [Self.shownURL(of: program)]
  }

  /// The text shown in place of a program's URL. Arguments are left out, since they may hold secrets.
  public static func shownURL(of program: ProgramCall) -> String {
    program.label ?? "command: \(program.name)"
  }
}

/// A kind of audio configured for a station. The raw value is its name there.
public enum AudioType: String, CaseIterable, Hashable, Sendable {
  /// MPEG audio of any layer.
  case mp3
  /// AAC in ADTS.
  case aac
  /// Any codec in Ogg.
  case ogg

  var codec: Codec {
    switch self {
    case .mp3: .mp3
    case .aac: .aac
    case .ogg: .vorbis
    }
  }
}

/// The settings for returning to a better upstream. Times are in seconds.
public struct TrialSettings: Hashable, Sendable {
  /// The time from a lesser upstream's first audio to the first trial of a better one.
  public var interval = 60.0
  /// The longest interval; every failed trial doubles it, up to this.
  public var intervalMax = 600.0
  /// How long the better upstream must play without fault before it takes over.
  public var clean = 30.0
  /// How much of the better upstream's newest audio is kept, to find the place of the takeover.
  public var heldSeconds = 10.0

  public init() {}
}
