import Reactor
import Wire

/// Who answers what is neither a stream nor a playlist. Called off the loops, so it may await.
public protocol APIHandling: Sendable {
  /// How long a request's body may be; up to `ServerConfiguration.shortBodyBytesMax` nobody is asked. Called on a loop's
  /// thread: it must not block.
  func bodyBytesMax(of head: HTTPRequestHead) -> Int
  func respond(to request: APIRequest) async -> APIResponse
  /// A source of SHOUTcast's first protocol: takes its connection over, or says in that protocol why not.
  func respond(to login: ShoutcastLogin, from origin: APIRequest.Origin) async -> APIResponse
}

extension APIHandling {
  /// For servers that take no long ones.
  public func bodyBytesMax(of head: HTTPRequestHead) -> Int {
    ServerConfiguration.shortBodyBytesMax
  }

  /// For servers that take no sources.
  public func respond(
    to login: ShoutcastLogin, from origin: APIRequest.Origin
  ) async -> APIResponse {
    .whole(status: 401, mediaType: "", body: ShoutcastLogin.refused())
  }
}

/// A request that is not for audio.
public struct APIRequest: Sendable {
  /// How the request came in.
  public enum Origin: Hashable, Sendable {
    case tcp(SocketAddress)
    /// The administration's own socket: who can open it is trusted.
    case unixSocket

    /// nil: the administration's own socket.
    public var address: SocketAddress? {
      if case .tcp(let address) = self { address } else { nil }
    }

    /// The address without its port, `unix` for the socket.
    public var host: String {
      switch self {
      case .tcp(let address): address.host
      case .unixSocket: "unix"
      }
    }
  }

  public var head: HTTPRequestHead
  /// At most `ServerConfiguration.bodyBytesMax`.
  public var body: [UInt8]
  public var origin: Origin
  /// Scheme, host and port that its client can reach us by.
  public var base: String

  public init(
    head: HTTPRequestHead, body: [UInt8] = [], origin: Origin, base: String = "http://localhost"
  ) {
    self.head = head
    self.body = body
    self.origin = origin
    self.base = base
  }
}

/// A reply is a whole body or a cursor; nothing is buffered per client.
public enum APIResponse: Sendable {
  case whole(status: Int, mediaType: String, body: [UInt8], fields: [HTTPFields.Field] = [])
  /// The same, made where it keeps nobody waiting: for whatever can be long.
  case made(PageOrder)
  /// The event stream, from now on or after an id.
  case events(EventFilter, after: UInt64?)
  /// The connection becomes somebody else's.
  case takeover(Takeover)
}

/// What becomes of the connection of a source that pushes.
public struct Takeover: Sendable {
  /// Sent first.
  public var greeting: [UInt8]
  /// Where it pushes to, for the access log; nil: where its request says.
  public var path: String?
  /// Gets the socket, and what came behind the request's head. Called on a loop's thread: it must not block.
  public var take: @Sendable (DetachedSocket, _ ahead: [UInt8]) -> Void

  public init(
    greeting: [UInt8], path: String? = nil,
    take: @escaping @Sendable (DetachedSocket, _ ahead: [UInt8]) -> Void
  ) {
    self.greeting = greeting
    self.path = path
    self.take = take
  }
}

/// Which events a client gets, and whether with what concerns single listeners.
public struct EventFilter: Hashable, Sendable {
  public var station: String?
  /// nil: all.
  public var kinds: Set<String>?
  /// False: without addresses, players and sessions.
  public var isIdentified: Bool

  public init(station: String? = nil, kinds: Set<String>? = nil, isIdentified: Bool = false) {
    self.station = station
    self.kinds = kinds
    self.isIdentified = isIdentified
  }
}
