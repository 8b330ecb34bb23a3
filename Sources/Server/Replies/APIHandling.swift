import Reactor
import Wire

/// Answers requests that are not for audio or a playlist. Called off the loops, so it may await.
public protocol APIHandling: Sendable {
  /// Returns how long a request's body may be; not asked for bodies up to `ServerConfiguration.shortBodyBytesMax`.
  /// Called on a loop's thread: it must not block.
  func bodyBytesMax(of head: HTTPRequestHead) -> Int
  /// Whether working out an answer is cancelled when its client goes. Called on a loop's thread: it must not block.
  func endsWithClient(_ head: HTTPRequestHead) -> Bool
  /// Returns the row of a request. Called on a loop's thread: it must not block.
  func route(of head: HTTPRequestHead) -> RequestRoute
  /// Returns the row of what loops answer themselves; `name` is the operation's.
  func route(named name: String) -> RequestRoute
  func respond(to request: APIRequest) async -> APIResponse
  /// Answers a source of SHOUTcast's first protocol: takes its connection over, or says in that protocol why not.
  func respond(to login: ShoutcastLogin, from origin: Peer) async -> APIResponse
}

extension APIHandling {
  /// For servers that take no long bodies.
  public func bodyBytesMax(of head: HTTPRequestHead) -> Int {
    ServerConfiguration.shortBodyBytesMax
  }

  /// What a request changes, it changes whoever is still there.
  public func endsWithClient(_ head: HTTPRequestHead) -> Bool { false }

  /// For servers without a table of operations.
  public func route(of head: HTTPRequestHead) -> RequestRoute { .unknown }
  public func route(named name: String) -> RequestRoute { .unknown }

  /// For servers that take no sources.
  public func respond(
    to login: ShoutcastLogin, from origin: Peer
  ) async -> APIResponse {
    .whole(status: 401, mediaType: "", body: ShoutcastLogin.refused())
  }
}

/// A request that is not for audio.
public struct APIRequest: Sendable {
  public var head: HTTPRequestHead
  /// Body of at most `ServerConfiguration.bodyBytesMax`.
  public var body: [UInt8]
  public var origin: Peer
  /// Scheme, host and port by which the client can reach the server.
  public var base: String
  /// Whether the client's connection is encrypted, to the server or to a trusted proxy in front of it.
  public var isEncrypted: Bool

  public init(
    head: HTTPRequestHead, body: [UInt8] = [], origin: Peer, base: String = "http://localhost",
    isEncrypted: Bool = false
  ) {
    self.head = head
    self.body = body
    self.origin = origin
    self.base = base
    self.isEncrypted = isEncrypted
  }
}

/// A reply is a whole body or a cursor; nothing is buffered per client.
public enum APIResponse: Sendable {
  case whole(status: Int, mediaType: String, body: [UInt8], fields: [HTTPFields.Field] = [])
  /// A whole body that is made where it keeps no client waiting: for everything that can be long.
  case made(PageOrder)
  /// A body of any length, which is made while it is sent.
  case pieces(PieceOrder)
  /// A file that the relay has named, with ranges.
  case file(FileOrder)
  /// The event stream, from now on or after an id, for so many seconds or without end.
  case events(EventFilter, after: UInt64?, for: Double? = nil)
  /// The connection is handed over to another part.
  case takeover(Takeover)
}

/// Handover of the connection of a source that pushes.
public struct Takeover: Sendable {
  /// Bytes that are sent first.
  public var greeting: [UInt8]
  /// Path that the source pushes to, for the access log; nil for the path of its request.
  public var path: String?
  /// Gets the socket, and what came behind the request's head. Called on a loop's thread: it must not block.
  public var accept: @Sendable (DetachedSocket, _ ahead: [UInt8]) -> Void

  public init(
    greeting: [UInt8], path: String? = nil,
    accept: @escaping @Sendable (DetachedSocket, _ ahead: [UInt8]) -> Void
  ) {
    self.greeting = greeting
    self.path = path
    self.accept = accept
  }
}
