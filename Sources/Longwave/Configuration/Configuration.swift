/// Everything `longwave.yml` can say; without a file, the values a relay runs with.
///
/// `Config/longwave.yml` is the manual: each key with its default and its price. A test holds the two
/// together.
public struct Configuration: Hashable, Sendable {
  public var server = ServerSection()
  public var timeshift = TimeshiftSection()
  public var listeners = ListenerSection()
  public var upstream = UpstreamSection()
  public var admin = AdminSection()
  public var stations: [StationDefinition] = []
  /// Where this came from, for messages; nil for values made in a program.
  public var file: String?

  public init() {}
}

/// `server:`, the process and its sockets.
public struct ServerSection: Hashable, Sendable {
  public var listen = [ListenAddress(host: "0.0.0.0", port: 8000)]
  /// nil: where `DataDirectory.defaultPath` says.
  public var data: String?
  /// Event loops; 0 is one per core.
  public var threads = 0
  public var listenersMax = 100_000
  /// What URLs in playlists begin with, without a slash at the end; nil: what the request says.
  public var publicURL: String?

  public init() {}
}

/// `timeshift:`, how much past is kept.
public struct TimeshiftSection: Hashable, Sendable {
  /// Seconds per station; 0 keeps only what live listeners need, in memory.
  public var window = 4.0 * 3600
  /// Bytes of disk for all stations together.
  public var diskLimit: UInt64 = 20_000_000_000

  public init() {}
}

/// What becomes of a listener too slow for live.
public enum BehindPolicy: String, Hashable, Sendable, CaseIterable {
  /// It keeps its place in the window.
  case shift
  /// It jumps to live.
  case skip
  /// It is disconnected.
  case drop
}

/// `listeners:`, how every listener is served unless its station says otherwise.
public struct ListenerSection: Hashable, Sendable {
  /// Seconds sent at once on joining, 0 to 60.
  public var burst = 4.0
  public var behind = BehindPolicy.shift
  /// Seconds behind where a listener should be, before `skip` or `drop` acts.
  public var lagMax = 30.0
  /// Seconds without a byte taken, before a listener is disconnected; 0 is never.
  public var pauseTimeout = 300.0
  /// Audio bytes between two ICY blocks.
  public var metaint = 16_000

  public init() {}
}

/// How the text of an upstream's titles is encoded where it is not valid UTF-8.
public enum TitleEncoding: String, Hashable, Sendable, CaseIterable {
  /// UTF-8 where it is valid, else Latin-1 with Windows' additions.
  case auto
  case utf8 = "utf-8"
  case latin1
  case windows1252 = "windows-1252"
}

/// `upstream:`, how stations are pulled.
public struct UpstreamSection: Hashable, Sendable {
  public var userAgent = "Longwave/1.0"
  /// Seconds until a connection attempt is given up.
  public var connectTimeout = 10.0
  /// Seconds without a byte until a connection is taken for dead.
  public var dataTimeout = 15.0
  public var titleEncoding = TitleEncoding.auto

  public init() {}
}

/// `admin:`, who may change things over TCP.
public struct AdminSection: Hashable, Sendable {
  /// Empty: nobody; administration is by the Unix socket only.
  public var token = ""

  public init() {}
}
