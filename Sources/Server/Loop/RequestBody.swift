import Wire

/// A request whose head is here, and as much of its body as has come.
struct RequestBody {
  let head: HTTPRequestHead
  /// Without the framing of chunks.
  private(set) var bytes: [UInt8] = []
  /// What came behind the body: the next request's.
  private(set) var rest: [UInt8] = []
  private var chunks = HTTPChunkDecoder()

  init(_ head: HTTPRequestHead) { self.head = head }

  var isWhole: Bool {
    head.isChunked ? chunks.isAtEnd : bytes.count == head.contentLength ?? 0
  }

  /// Whether the client waits to be told that its body is wanted (RFC 9110 section 10.1.1).
  var awaitsContinue: Bool {
    !isWhole && bytes.isEmpty && rest.isEmpty && head.version == .http11
      && head.fields.tokens("Expect").contains("100-continue")
  }

  /// - Throws: `HTTPError` 413 for a body longer than `ServerConfiguration.bodyBytesMax`, 400 for broken chunks.
  mutating func take(_ input: [UInt8]) throws(HTTPError) {
    if (head.contentLength ?? 0) > ServerConfiguration.bodyBytesMax { throw Self.tooLarge }
    if head.isChunked { return try takeChunks(input) }
    let count = min(input.count, (head.contentLength ?? 0) - bytes.count)
    bytes += input[..<count]
    rest += input[count...]
  }

  private mutating func takeChunks(_ input: [UInt8]) throws(HTTPError) {
    var position = 0
    while let range = try chunks.next(in: input.span, from: &position) {
      bytes += input[range]
      if bytes.count > ServerConfiguration.bodyBytesMax { throw Self.tooLarge }
    }
    rest += input[position...]
  }

  private static let tooLarge = HTTPError(
    status: 413, message: "the body is limited to \(ServerConfiguration.bodyBytesMax) bytes")
}
