/// How a `FakeUpstream` answers one request.
public struct FakeReply: Sendable {
  /// What follows the head.
  public enum Body: Sendable {
    case stream(FakeStream)
    case bytes([UInt8])
    /// The connection stays open and silent.
    case silence
    /// Pieces so many seconds apart; then silence, or the end of the connection.
    case pieces([[UInt8]], pause: Double, thenCloses: Bool)
  }

  /// nil: closes without a byte, or with `.silence` never answers.
  public var statusLine: String?
  public var fields: [(String, String)]
  public var isChunked = false
  public var body: Body
  /// `user:password` in Base64; requests without it get 401 in place of this reply.
  public var authorization: String?

  public init(statusLine: String?, fields: [(String, String)] = [], body: Body) {
    self.statusLine = statusLine
    self.fields = fields
    self.body = body
  }

  /// A live stream under `HTTP/1.0 200 OK`, as Icecast 2.4 sends it.
  public static func stream(
    _ stream: FakeStream = FakeStream(), mediaType: String = "audio/mpeg",
    fields: [(String, String)] = []
  ) -> FakeReply {
    FakeReply(
      statusLine: "HTTP/1.0 200 OK", fields: [("Content-Type", mediaType)] + fields,
      body: .stream(stream))
  }

  /// The same under `ICY 200 OK`.
  public static func icy(
    _ stream: FakeStream = FakeStream(), fields: [(String, String)] = []
  ) -> FakeReply {
    var reply = FakeReply.stream(stream, fields: fields)
    reply.statusLine = "ICY 200 OK"
    return reply
  }

  /// The same as HTTP/1.1 with Transfer-Encoding: chunked.
  public static func chunked(_ stream: FakeStream = FakeStream()) -> FakeReply {
    var reply = FakeReply.stream(stream, fields: [("Transfer-Encoding", "chunked")])
    reply.statusLine = "HTTP/1.1 200 OK"
    reply.isChunked = true
    return reply
  }

  /// A redirect to an absolute or relative reference.
  public static func redirect(_ status: Int = 302, to location: String) -> FakeReply {
    FakeReply(
      statusLine: "HTTP/1.1 \(status) Found",
      fields: [("Location", location), ("Content-Length", "0")], body: .bytes([]))
  }

  /// An error with a page of HTML.
  public static func status(_ status: Int) -> FakeReply {
    let page = "<html><body><h1>\(status)</h1></body></html>"
    return FakeReply(
      statusLine: "HTTP/1.1 \(status) Nope",
      fields: [("Content-Type", "text/html"), ("Content-Length", "\(page.utf8.count)")],
      body: .bytes(Array(page.utf8)))
  }

  /// A body of known length: a playlist, a page, a file.
  public static func file(_ bytes: [UInt8], mediaType: String) -> FakeReply {
    FakeReply(
      statusLine: "HTTP/1.1 200 OK",
      fields: [("Content-Type", mediaType), ("Content-Length", "\(bytes.count)")],
      body: .bytes(bytes))
  }

  /// Without a body, as services that are asked for leave answer.
  public static func head(_ fields: [(String, String)], status: Int = 200) -> FakeReply {
    FakeReply(
      statusLine: "HTTP/1.1 \(status) OK", fields: fields + [("Content-Length", "0")],
      body: .bytes([]))
  }

  public static func playlist(_ text: String, mediaType: String = "audio/x-scpls") -> FakeReply {
    .file(Array(text.utf8), mediaType: mediaType)
  }

  /// Exactly these bytes, head and all, and then silence.
  public static func raw(_ bytes: [UInt8]) -> FakeReply {
    FakeReply(statusLine: nil, body: .pieces([bytes], pause: 0, thenCloses: false))
  }

  /// Accepts, reads the request, closes.
  public static let hangUp = FakeReply(statusLine: nil, body: .bytes([]))
  /// Accepts and never answers.
  public static let silence = FakeReply(statusLine: nil, body: .silence)

  /// The same for those who know the password.
  public func requiring(authorization: String) -> FakeReply {
    var reply = self
    reply.authorization = authorization
    return reply
  }
}

/// How a connection gets the programme.
public struct FakeStream: Sendable {
  /// Seconds of programme sent at once on connecting.
  public var burst = 4.0
  /// Blocks with the programme's titles, for requests with `Icy-MetaData: 1`.
  public var metaint: Int?
  /// The programme's titles are whole blocks, at most 4,080 bytes, sent as they are.
  public var hasRawBlocks = false
  /// Closes after so many bytes of audio, in mid-packet as it comes.
  public var closeAfterBytes: Int?
  /// Closes after so many real seconds, in the middle of the packet then on air.
  public var closeAfterSeconds: Double?
  /// Sends nothing more after so many bytes of audio, and stays open.
  public var stallAfterBytes: Int?
  /// Cut off the front: the stream begins in mid-packet.
  public var cutFront = 0
  /// Sent before the audio; counts for metaint.
  public var preroll: [UInt8] = []
  /// The same, for a connection that begins with this packet.
  public var opening: (@Sendable (Int) -> [UInt8])?
  /// Begins with this packet and sends as fast as the reader takes it, in place of burst and real time.
  public var unpacedFrom: Int?

  /// An ICY block of this text, at most 4,080 bytes, with its length byte; without the relay's own code, so that a
  /// fault there cannot hide.
  public static func block(_ text: [UInt8]) -> [UInt8] {
    let units = (text.count + 15) / 16
    return [UInt8(units)] + text + [UInt8](repeating: 0, count: units * 16 - text.count)
  }

  /// A burst that reaches back to the programme's beginning, however late a connection comes.
  public static let sinceBeginning = 86_400.0

  public init(burst: Double = 4) {
    self.burst = burst
  }
}
