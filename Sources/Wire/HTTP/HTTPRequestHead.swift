/// The versions of HTTP that the server speaks.
public enum HTTPVersion: String, Hashable, Sendable {
  /// HTTP/1.0, and `ICE/1.0`, which old source clients send.
  case http10 = "HTTP/1.0"
  /// HTTP/1.1, and every later 1.x.
  case http11 = "HTTP/1.1"
}

/// The head of a request: everything before its body.
public struct HTTPRequestHead: Hashable, Sendable {
  /// The method as received; methods are case-sensitive.
  public var method: String
  /// The target as received: `/path?query`, `http://host/path?query` or `*`.
  public var target: String
  /// The path, percent-decoded; it begins with `/` and has no `.` or `..` segments. `/` for the target `*`.
  public var path: String
  public var query: HTTPQuery
  public var version: HTTPVersion
  public var fields: HTTPFields
  /// The `host` or `host:port` of the target or the Host field; nil without a usable one.
  public var host: String?
  /// The length of the body in bytes. Nil when the head gives none: then there is no body unless it is chunked.
  public var contentLength: Int?
  /// Whether the body comes in chunks (RFC 9112 section 7.1).
  public var isChunked: Bool

  public init(
    method: String, target: String, path: String, query: HTTPQuery = HTTPQuery(),
    version: HTTPVersion = .http11, fields: HTTPFields = HTTPFields(), host: String? = nil,
    contentLength: Int? = nil, isChunked: Bool = false
  ) {
    self.method = method
    self.target = target
    self.path = path
    self.query = query
    self.version = version
    self.fields = fields
    self.host = host
    self.contentLength = contentLength
    self.isChunked = isChunked
  }

  /// Whether the path begins with `folder`, byte by byte: in a String, a slash and a combining accent after it form
  /// another character than the slash.
  public func isBelow(_ folder: String) -> Bool { path.utf8.starts(with: folder.utf8) }

  /// Whether the client may send another request on this connection (RFC 9112 section 9.3).
  public var keepsAlive: Bool {
    let options = fields.tokens("Connection")
    if options.contains("close") { return false }
    return version == .http11 || options.contains("keep-alive")
  }
}

/// The reason why a request is refused. The connection cannot be used after it.
public struct HTTPError: Error, Hashable, Sendable {
  /// The status of the answer: 400, 413, 414, 431, 501 or 505.
  public let status: Int
  /// One sentence for the client's developer; it contains nothing that the client sent.
  public let message: String

  public init(status: Int, message: String) {
    self.status = status
    self.message = message
  }

  static func badRequest(_ message: String) -> HTTPError {
    HTTPError(status: 400, message: message)
  }
}
