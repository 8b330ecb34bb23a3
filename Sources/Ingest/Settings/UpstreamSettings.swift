import Wire

/// What a station asks of its upstreams. Times are in seconds.
public struct UpstreamSettings: Hashable, Sendable {
  /// In order of preference: streams, files or playlists, http or https, userinfo allowed.
  public var urls: [String]
  public var userAgent = "Longwave/1.0"
  /// For resolving and connecting; while the last success is fresh, less (`ReconnectSettings`).
  public var connectTimeout = 10.0
  /// Without a byte for so long, a connection counts as dead.
  public var dataTimeout = 15.0
  /// What they are made to be; nil: what their bytes say.
  public var type: AudioType?
  /// How titles and headers that are not UTF-8 are read.
  public var encoding = TextEncoding.auto
  /// How titles are taken apart; the first that fits counts.
  public var titlePatterns: [TitlePattern] = []
  /// A page that says what is playing, where the upstreams do not or say it badly.
  public var metadata: MetadataSettings?
  /// How much later than it is announced a title takes effect in the audio, seconds; negative: earlier.
  public var titleShift = 0.0
  /// Audio that must have come before a connection is said to play. Nothing is delayed by it.
  public var prebuffer = 0.0
  /// How far the live edge may run ahead of real time.
  public var leadMax = 90.0
  /// Further request header lines, `Name: value`.
  public var requestHeaders: [String] = []
  /// `http://`, `https://`, `socks5://` or `socks5h://` HOST:PORT, userinfo allowed; nil: what the
  /// environment says (`http_proxy` and its kin).
  public var proxy: String?
  public var verifyTLS = true
  /// Whether servers of the world's may lead to private addresses and to this machine.
  public var allowsPrivate = false
  /// PEM file of certificate authorities to trust in place of the system's.
  public var caFile: String?

  public var reconnect = ReconnectSettings()
  public var stitch = StitchSettings()
  public var trial = TrialSettings()

  public init(urls: [String]) {
    self.urls = urls
  }
}

/// A kind of audio that somebody has named for a station. The raw value is how.
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

/// How a station finds its way back to a better upstream. Times are in seconds.
public struct TrialSettings: Hashable, Sendable {
  /// From the moment a lesser upstream plays to the first trial of a better one.
  public var interval = 60.0
  /// Every failed trial doubles the interval, up to this.
  public var intervalMax = 600.0
  /// How long the better one must play without fault before it takes over.
  public var clean = 30.0
  /// How much of the better one's newest audio is kept to find the place of the takeover.
  public var heldSeconds = 10.0

  public init() {}
}
