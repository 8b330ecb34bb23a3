import Glibc
import Media
import Reactor
import Timeshift

/// How clients are known, and where they are led. Each loop has a copy, which another may replace while it runs.
public struct ClientSettings: Hashable, Sendable {
  /// Proxies that are believed about the clients they speak for.
  public var trustedProxies: [AddressRange] = []
  /// Whether connections of trusted proxies begin with a PROXY header.
  public var hasProxyHeaders = false
  /// Base that playlists point at instead of the Host header: scheme, host, port, without a slash at the end.
  public var publicURL: String?

  public init() {}
}

/// Settings that a server is told once, at start.
public struct ServerConfiguration: Sendable {
  public var listen: [SocketAddress]
  /// Addresses where sources of SHOUTcast's first protocol connect.
  public var shoutcastListen: [SocketAddress] = []
  /// Sockets that are open already, beside those of the addresses.
  public var opened: [OpenedSocket] = []
  /// Path of the administration's socket; nil for none.
  public var unixSocket: String?
  /// Group whose members may use the administration's socket too; nil for its owner alone.
  public var unixSocketGroup: UInt32?
  /// Number of event loops; 0 for one per processor that the process may use.
  public var threads = 0
  /// Most listeners. Each takes an open file of the process, and a file that is heard takes one more.
  public var listenersMax = 100_000
  /// Listeners of one address at once; 0 for no limit.
  public var listenersPerAddress = 0
  /// Stations on demand that one address may wake in a minute; 0 for no limit.
  public var startsPerAddress = 0
  /// Connections over the network at once, listeners among them; 0 for what the limit on open files has room for.
  public var connectionsMax = 0
  /// Connections of one address that neither listen nor watch; 0 for a quarter of all connections, at least 64.
  public var connectionsPerAddress = 0
  /// Connections that are told of events; 0 for half of all connections, at most 4,000.
  public var watchersMax = 0
  /// Watchers of one address; 0 for a quarter of all watchers, at least 16.
  public var watchersPerAddress = 0
  /// Clips that one address is sent at once; 0 for no limit.
  public var clipsPerAddress = 0
  /// How many times as fast as they play clips go to an address; 0 for as fast as they are taken.
  public var clipSpeed = 0.0
  /// The key of what lets clients have segments of stations with an authority; drawn where it is not told.
  public var hlsSecret = (0..<32).map { _ in UInt8.random(in: 0...255) }
  /// Which clients may listen to anything at all.
  public var access = AccessRules()
  /// How clients are known, and where they are led.
  public var clients = ClientSettings()
  /// Folder from which no file may be served; nil when nothing is hidden.
  public var hidden: PrivateFolder?
  /// TLS for clients; nil when no client may come over TLS.
  public var tls: TLSOffer?
  /// Answers to challenges of certificate authorities; nil for none.
  public var challenges: (any ChallengeAnswering)?
  /// Writer of the access log; nil for none.
  public var requests: (any RequestRecording)?
  /// Limit on clients that ask to listen by tokens of sessions that do not exist.
  public var sessionGuesses = GuessLimit(wrongMax: GuessLimit.tokensMax)
  /// Value of `Server:` in answers.
  public var name: String
  /// TLS handshakes of one loop that are under way at once, of 20 to 30 KiB each. A further client waits, unheard,
  /// until one of them ends or its own time is up.
  public var handshakesMax = 1000
  /// TLS handshakes of one address that are under way at once, in all loops.
  public var handshakesPerAddress = 16
  /// Seconds that a client has to begin its handshake, from the first byte on.
  public var helloTimeout = 3.0
  /// Seconds that a client may keep a handshake waiting before it can be ended for another.
  public var handshakePatience = 1.0
  /// Seconds that a client has to send its request's head, and once more for its handshake.
  public var headTimeout = 10.0
  /// Seconds that a client has to send its request's body, however much of it comes meanwhile.
  public var bodyTimeout = 30.0
  /// Seconds that the API, or a mount's authority, has for an answer.
  public var answerTimeout = 120.0
  /// Seconds in which a client has to take something of an answer. After as many it also has to take 1 KiB a second.
  public var replyTimeout = 30.0
  /// Seconds in which a watcher has to take something, or all of what is ready for it.
  public var watcherTimeout = 60.0
  /// Seconds a request waits for the first packet of an empty log.
  public var firstPacketTimeout = 5.0
  /// Seconds that listeners get to take the rest of a packet when the server stops.
  public var drainTimeout = 3.0

  /// Longest request body in bytes, where `APIHandling.bodyBytesMax` allows it.
  public static let bodyBytesMax = 64 * 1024
  /// Longest request body in bytes anywhere else; the number of connections bounds the memory of such bodies.
  public static let shortBodyBytesMax = 1024
  /// Kernel memory of a connection: chosen for a listener that reads nothing, not for speed.
  static let sendBufferBytes: Int32 = 32 * 1024
  static let unsentBytes: Int32 = 16 * 1024

  public init(listen: [SocketAddress], name: String) {
    self.listen = listen
    self.name = name
  }
}

extension NetworkPlaces {
  convenience init(_ configuration: ServerConfiguration) { self.init(configuration.networkLimits) }

  func set(_ configuration: ServerConfiguration) { set(configuration.networkLimits) }
}

extension ServerConfiguration {
  fileprivate var networkLimits: NetworkPlaces.Limits {
    NetworkPlaces.Limits(
      connectionsMax: connectionsMax, connectionsPerAddress: connectionsPerAddress,
      watchersMax: watchersMax, watchersPerAddress: watchersPerAddress)
  }
}

/// Why a server could not start.
public enum ServerError: Error, Sendable, CustomStringConvertible {
  case portInUse(SocketAddress)
  case system(SystemError)

  public var description: String {
    switch self {
    case .portInUse(let address):
      "port in use: \(address); stop the other server (ss -ltnp 'sport = :\(address.port ?? 0)' shows it), "
        + "or listen elsewhere (--listen HOST:PORT)"
    case .system(let error) where error.call == "bind": "\(error); \(Self.advice(error))"
    case .system(let error): error.description
    }
  }

  private static func advice(_ error: SystemError) -> String {
    switch error.code {
    case _ where error.on.utf8.first == UInt8(ascii: "/"):
      "look at its folder, or give another one (--data)"
    case EACCES, EPERM:
      "choose a port from 1024 on (--listen HOST:PORT), or allow this one: "
        + "AmbientCapabilities=CAP_NET_BIND_SERVICE in systemd's unit, or once "
        + "sudo setcap cap_net_bind_service=+ep and the path of longwave"
    default: "choose an address of this machine (ip address shows them; --listen HOST:PORT)"
    }
  }
}
