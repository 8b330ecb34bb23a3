import Ingest
import Reactor
import Server
import Wire

/// Everything that `longwave.yml` can say; without a file, the values that a relay runs with.
///
/// `Config/longwave.yml` is the manual: each key with its default and its price. A test keeps the two in step.
public struct Configuration: Hashable, Sendable {
  /// The process and its sockets.
  public var server = ServerSection()
  /// How much past is kept.
  public var timeshift = TimeshiftSection()
  /// The folder of recordings and its limits.
  public var recordings = RecordingSection()
  /// Folders of music that are looked through.
  public var library = LibrarySettings()
  public var cache = CacheSettings()
  /// How every listener is served unless its station says otherwise.
  public var listeners = ListenerSettings()
  /// How long the places of sessions are kept. The file has these keys under `listeners`.
  public var sessions = SessionLimits()
  /// How stations are pulled; `urls` stays empty, since each station has its own.
  public var upstream = UpstreamSettings(urls: [])
  /// Logs of requests and titles.
  public var log = LogSettings()
  /// Access to the administration over TCP.
  public var admin = AdminSection()
  /// The pages for browsers.
  public var web = WebSettings()
  /// Who may read the figures for supervisors.
  public var metrics = MetricsSettings()
  /// The web services that are told of events.
  public var webhooks: [WebhookSettings] = []
  /// The stations, in the order in which they are shown.
  public var stations: [StationDefinition] = []
  /// The lines on which the stations begin, by id.
  public var stationLines: [String: Int] = [:]
  /// The configuration's file, for messages; nil for values made in a program.
  public var file: String?
  /// The text of the file; nil for one that is too long to be kept, and without a file.
  package var text: String? {
    get { source.text }
    set { source.text = newValue }
  }
  /// The stations as the file's reader has accepted them; empty without a file.
  var stationsRead: [StationDefinition] {
    get { source.stations }
    set { source.stations = newValue }
  }
  private var source = Source()

  /// Where a configuration comes from, which no comparison minds: those that say the same are the same, however they
  /// are written.
  private struct Source: Hashable {
    var text: String?
    var stations: [StationDefinition] = []

    static func == (one: Source, other: Source) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }

  /// Most bytes of a text that is kept, some 30,000 stations.
  private static let textBytesMax = 4 << 20

  /// Returns a file's text if it is short enough to be kept.
  package static func kept(_ text: String?) -> String? {
    text.flatMap { $0.utf8.count <= textBytesMax ? $0 : nil }
  }

  /// All defaults, and no station.
  public init() {}

  /// Returns the seconds of past that a station keeps.
  package func window(of station: StationDefinition) -> Double {
    station.window ?? timeshift.window
  }
}

/// `server:`, the process and its sockets.
public struct ServerSection: Hashable, Sendable {
  /// Addresses and ports to listen on.
  public var listen = [SocketAddress.ipv4(0, port: 8000)]
  /// Addresses where sources of SHOUTcast's first protocol connect.
  public var shoutcastListen: [SocketAddress] = []
  /// The data folder; nil for the one that `DataDirectory.resolve` finds.
  public var data: String?
  /// Number of event loops; 0 for one per core.
  public var threads = 0
  /// Highest number of listeners at once.
  public var listenersMax = 100_000
  /// Whether the file sets `max-listeners`; the default is more than most machines can serve.
  package var isListenersMaxWritten = false
  /// Highest number of listeners from one address at once; 0 for no limit. The file has this under `listeners`.
  public var listenersPerAddress = 0
  /// Stations on demand that one address may wake in a minute; 0 for no limit. The file has this under `listeners`.
  public var startsPerAddress = 30
  /// Highest number of connections over the network, listeners included; 0 for what the limit on open files has room
  /// for.
  public var connectionsMax = 0
  /// Highest number of connections from one address that do not listen; 0 for a quarter of all.
  public var connectionsPerAddress = 0
  /// Highest number of watchers, the clients of `/events`; 0 for half of all connections.
  public var watchersMax = 0
  /// Highest number of watchers from one address; 0 for a quarter of all watchers.
  public var watchersPerAddress = 0
  /// Clips that one address is sent at once; 0 for no limit. The file has this under `listeners`.
  public var clipsPerAddress = 8
  /// Speed of clips to one address, in multiples of playing speed; 0 for no limit. The file has this under `listeners`.
  public var clipSpeed = 20
  /// The key of what lets clients have segments of stations with `auth:`; nil for one that is made and stored. The file has
  /// this under `listeners`.
  public var hlsSecret: String?
  /// Rules for who may listen to anything at all.
  public var access = AccessRules()
  /// How clients are known, and where they are led.
  public var clients = ClientSettings()
  /// Folders in which stations that are added or changed over the network may name files.
  public var paths: [String] = []
  /// Certificate and key; nil when the server encrypts nothing.
  public var tls: TLSSettings?
  /// Time zone of schedules and of recordings' names; nil for this machine's.
  public var timeZone: ZoneOffsets?

  public init() {}
}

extension ServerSection {
  public var trustedProxies: [AddressRange] {
    get { clients.trustedProxies }
    set { clients.trustedProxies = newValue }
  }
  public var hasProxyHeaders: Bool {
    get { clients.hasProxyHeaders }
    set { clients.hasProxyHeaders = newValue }
  }
  public var publicURL: String? {
    get { clients.publicURL }
    set { clients.publicURL = newValue }
  }
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

/// `recordings:`, the folder of recordings and its limits.
public struct RecordingSection: Hashable, Sendable {
  /// The folder; nil for `recordings` in the data folder.
  public var folder: String?
  /// Bytes that all files in the folder may have together.
  public var diskLimit: UInt64 = 20_000_000_000
  /// How long recordings by command are kept.
  package var keep = RecordingKeep()

  public init() {}

  /// Returns the folder of recordings for a relay with this data folder.
  package func folder(inData data: String) -> String { folder ?? data + "/recordings" }
}

/// `admin:`, who may change things over TCP.
public struct AdminSection: Hashable, Sendable {
  /// Token for administration over TCP; empty when only the Unix socket administers.
  public var token = ""
  /// Name of the group whose members may use the Unix socket as its owner does; empty for the owner alone.
  public var socketGroup = ""

  public init() {}
}
