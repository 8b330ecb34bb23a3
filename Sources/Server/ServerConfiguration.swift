import Glibc
import Media
import Reactor
import Timeshift

/// What a server is told once, at start.
public struct ServerConfiguration: Sendable {
  public var listen: [SocketAddress]
  /// Where sources of SHOUTcast's first protocol connect.
  public var shoutcastListen: [SocketAddress] = []
  /// The administration's socket; nil: none.
  public var unixSocket: String?
  /// Event loops; 0: one per processor we may use.
  public var threads = 0
  /// Each takes an open file of the process, and a file that is heard one more.
  public var listenersMax = 100_000
  /// Listeners of one address at once; 0: as many as they like.
  public var listenersPerAddress = 0
  /// Stations on demand that one address may wake in a minute; 0: as many as they like.
  public var startsPerAddress = 0
  /// Connections over the network at once, listeners among them; 0: what the limit on open files has room for.
  public var connectionsMax = 0
  /// Of one address those that do not listen; 0: a quarter of them all.
  public var connectionsPerAddress = 0
  /// Connections that are told of events; 0: half of all connections.
  public var watchersMax = 0
  /// Of one address; 0: a quarter of them all.
  public var watchersPerAddress = 0
  /// Clips that one address is sent at once; 0: as many as they like.
  public var clipsPerAddress = 0
  /// How many times as fast as they play clips go to an address; 0: as fast as they are taken.
  public var clipSpeed = 0.0
  /// Who may listen to anything at all.
  public var access = AccessRules()
  /// Who is believed about whom it speaks for.
  public var trustedProxies: [AddressRange] = []
  /// Whether connections of trusted proxies begin with a PROXY header.
  public var hasProxyHeaders = false
  /// What playlists point at instead of the Host header: scheme, host, port, without a slash at the end.
  public var publicURL: String?
  /// What no file may be served from; nil: nothing is hidden.
  public var hidden: PrivateFolder?
  /// nil: nobody may come over TLS.
  public var tls: TLSOffer?
  /// Who writes the access log; nil: nobody.
  public var requests: (any RequestRecording)?
  /// Who comes to listen by tokens of sessions that nobody has.
  public var sessionGuesses = GuessLimit(wrongMax: GuessLimit.tokensMax)
  /// `Server:` in answers.
  public var name: String
  /// TLS handshakes of one loop that are under way at once, of 20 to 30 KiB each. Who comes then waits, unheard, until
  /// one of them ends or its own time is up.
  public var handshakesMax = 1000
  /// The same of one address, in all loops.
  public var handshakesPerAddress = 16
  /// Seconds a client has to begin its handshake, from the first byte on.
  public var helloTimeout = 3.0
  /// Seconds a client may keep a handshake waiting before it can be ended for another.
  public var handshakePatience = 1.0
  /// Seconds a client has to send its request's head, and once more for its handshake.
  public var headTimeout = 10.0
  /// Seconds it has to send its request's body, however much of it comes meanwhile.
  public var bodyTimeout = 30.0
  /// Seconds that the API, or whoever lets listeners in, has for an answer.
  public var answerTimeout = 120.0
  /// Seconds in which a client has to take something of an answer, and what it has to be quicker than a trickle for.
  public var replyTimeout = 30.0
  /// Seconds in which a watcher has to take something, or all of what is ready for it.
  public var watcherTimeout = 60.0
  /// Seconds a request waits for the first packet of an empty log.
  public var firstPacketTimeout = 5.0
  /// Seconds that listeners get to take the rest of a packet when the server stops.
  public var drainTimeout = 3.0

  /// Of a request's body, where `APIHandling.bodyBytesMax` allows it.
  public static let bodyBytesMax = 64 * 1024
  /// Of a body anywhere; those that are no longer are bounded by the number of connections.
  public static let shortBodyBytesMax = 1024
  /// Kernel memory of a connection: for a listener who reads nothing, not for speed.
  static let sendBufferBytes: Int32 = 32 * 1024
  static let unsentBytes: Int32 = 16 * 1024

  public init(listen: [SocketAddress], name: String) {
    self.listen = listen
    self.name = name
  }
}

/// Why a server could not start.
public enum ServerError: Error, Sendable, CustomStringConvertible {
  case portInUse(SocketAddress)
  case system(SystemError)

  public var description: String {
    switch self {
    case .portInUse(let address):
      "port in use: \(address); stop the other server or listen elsewhere (--listen HOST:PORT)"
    case .system(let error) where error.call == "bind": "\(error); \(Self.advice(error))"
    case .system(let error): error.description
    }
  }

  private static func advice(_ error: SystemError) -> String {
    switch error.code {
    case _ where error.on.utf8.first == UInt8(ascii: "/"):
      "look at its folder, or give another one (--data)"
    case EACCES, EPERM:
      "choose a port from 1024 on (--listen HOST:PORT), or allow it this one "
        + "(AmbientCapabilities=CAP_NET_BIND_SERVICE in the unit of systemd)"
    default: "choose an address of this machine (ip address shows them; --listen HOST:PORT)"
    }
  }
}
