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
  /// Who may listen to anything at all.
  public var access = AccessRules()
  /// Who is believed about whom it speaks for.
  public var trustedProxies: [AddressRange] = []
  /// Whether connections of trusted proxies begin with a PROXY header.
  public var hasProxyHeaders = false
  /// What playlists point at instead of the Host header: scheme, host, port, without a slash at the end.
  public var publicURL: String?
  /// nil: nobody may come over TLS.
  public var tls: TLSOffer?
  /// Who writes the access log; nil: nobody.
  public var requests: (any RequestRecording)?
  /// `Server:` in answers.
  public var name: String
  /// TLS handshakes of one loop that are under way at once, of 20 to 30 KiB each. Who comes then waits, unheard, until
  /// one of them ends or its own time is up.
  public var handshakesMax = 1000
  /// Seconds a client has to send its request.
  public var headTimeout = 10.0
  /// Seconds a request waits for the first packet of an empty log.
  public var firstPacketTimeout = 5.0
  /// Seconds that listeners get to take the rest of a packet when the server stops.
  public var drainTimeout = 3.0

  public static let bodyBytesMax = 64 * 1024
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
    case .system(let error): error.description
    }
  }
}
