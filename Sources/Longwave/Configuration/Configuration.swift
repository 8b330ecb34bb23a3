import Ingest
import Reactor
import Server
import Wire

/// Everything `longwave.yml` can say; without a file, the values a relay runs with.
///
/// `Config/longwave.yml` is the manual: each key with its default and its price. A test holds the two
/// together.
public struct Configuration: Hashable, Sendable {
  public var server = ServerSection()
  public var timeshift = TimeshiftSection()
  public var recordings = RecordingSection()
  /// How every listener is served unless its station says otherwise.
  public var listeners = ListenerSettings()
  /// How long places of listening sessions are kept. In the file it stands with the listeners.
  public var sessions = SessionLimits()
  /// How stations are pulled; its `urls` are each station's own.
  public var upstream = UpstreamSettings(urls: [])
  /// What is written down of requests and titles.
  public var log = LogSettings()
  public var admin = AdminSection()
  public var stations: [StationDefinition] = []
  /// The lines the stations begin on, by id.
  public var stationLines: [String: Int] = [:]
  /// Where this came from, for messages; nil for values made in a program.
  public var file: String?

  public init() {}

  /// Seconds of past that a station keeps.
  func window(of station: StationDefinition) -> Double { station.window ?? timeshift.window }
}

/// `server:`, the process and its sockets.
public struct ServerSection: Hashable, Sendable {
  public var listen = [SocketAddress.ipv4(0, port: 8000)]
  /// Where sources of SHOUTcast's first protocol connect.
  public var shoutcastListen: [SocketAddress] = []
  /// nil: where `DataDirectory.defaultPath` says.
  public var data: String?
  /// Event loops; 0 is one per core.
  public var threads = 0
  public var listenersMax = 100_000
  /// Somebody wrote that; the default is more than most machines give.
  var isListenersMaxWritten = false
  /// Of one address at once; 0: as many as they like. In the file it stands with the listeners.
  public var listenersPerAddress = 0
  /// Stations on demand that one address may wake in a minute; 0: as many as they like. Stands with the listeners.
  public var startsPerAddress = 30
  /// Over the network, listeners among them; 0: what the limit on open files has room for.
  public var connectionsMax = 0
  /// Of one address, those that do not listen; 0: a quarter of all.
  public var connectionsPerAddress = 0
  /// Clients of `/events`; 0: half of all connections.
  public var watchersMax = 0
  /// Of one address; 0: a quarter of all.
  public var watchersPerAddress = 0
  /// Clips that one address is sent at once; 0: as many as they like. Stands with the listeners.
  public var clipsPerAddress = 8
  /// How many times as fast as they play clips go to an address; 0: as they are taken. Stands with the listeners.
  public var clipSpeed = 20
  /// Who may listen to anything at all.
  public var access = AccessRules()
  /// Who is believed about whom it speaks for.
  public var trustedProxies: [AddressRange] = []
  /// Whether their connections begin with a PROXY header.
  public var hasProxyHeaders = false
  /// Folders in which stations that are added or changed over the network may name files.
  public var paths: [String] = []
  /// nil: nothing is encrypted here.
  public var tls: TLSSettings?
  /// What URLs in playlists begin with, without a slash at the end; nil: what the request says.
  public var publicURL: String?
  /// Of times in schedules, and of recordings' names; nil: this machine's.
  public var timeZone: ZoneOffsets?

  public init() {}
}

/// `timeshift:`, how much past is kept.
public struct TimeshiftSection: Hashable, Sendable {
  /// Seconds per station; 0 keeps only what live listeners need, in memory.
  public var window = 4.0 * 3600
  /// Bytes of disk for all stations together.
  public var diskLimit: UInt64 = 20_000_000_000
  /// Seconds of each window that are kept however full other programs make the disk.
  public var diskReserve = 600.0

  public init() {}
}

/// `recordings:`, where what is recorded goes.
public struct RecordingSection: Hashable, Sendable {
  /// nil: `recordings` in the data folder.
  public var folder: String?
  /// Bytes that all files in the folder may have together.
  public var diskLimit: UInt64 = 20_000_000_000
  /// Of recordings by command.
  var keep = RecordingKeep()

  public init() {}
}

/// `admin:`, who may change things over TCP.
public struct AdminSection: Hashable, Sendable {
  /// Empty: nobody; administration is by the Unix socket only.
  public var token = ""

  public init() {}
}
