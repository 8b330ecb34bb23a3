import Wire

/// A request whose head is here, and as much of its body as has come.
struct RequestBody {
  let head: HTTPRequestHead
  /// Bytes of the body, without the framing of chunks.
  private(set) var bytes: [UInt8] = []
  /// Input behind the body: the next request's.
  private(set) var rest: [UInt8] = []
  /// Longest body that is taken, in bytes.
  private var bytesMax = ServerConfiguration.shortBodyBytesMax
  /// Memory reserved for the body; nil when it is short.
  private(set) var room: MemoryRoom.Place?
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

  /// Whether the body may be long, as the head says.
  var mayBeLong: Bool {
    head.isChunked || (head.contentLength ?? 0) > ServerConfiguration.shortBodyBytesMax
  }

  /// Lets the body be long, before any of it is taken.
  ///
  /// - Parameters:
  ///   - bytesMax: longest body in bytes that its receiver takes.
  ///   - takeRoom: reserves memory for so many bytes.
  mutating func allow<Refusal: Error>(
    upTo bytesMax: Int, _ takeRoom: (Int) throws(Refusal) -> MemoryRoom.Place
  ) throws(Refusal) {
    let bytesMax = min(bytesMax, ServerConfiguration.bodyBytesMax)
    guard bytesMax > self.bytesMax else { return }
    // A body that is too long is refused without memory.
    guard (head.contentLength ?? 0) <= bytesMax else {
      self.bytesMax = bytesMax
      return
    }
    let needed = head.isChunked ? bytesMax : head.contentLength ?? 0
    room = try takeRoom(needed)
    self.bytesMax = bytesMax
    // No more than that: growing would take up to twice as much.
    bytes.reserveCapacity(needed)
  }

  /// - Throws: `HTTPError` 413 for a body longer than it may be, 400 for broken chunks.
  mutating func receive(_ input: [UInt8]) throws(HTTPError) {
    if (head.contentLength ?? 0) > bytesMax { throw tooLarge }
    if head.isChunked { return try receiveChunks(input) }
    let count = min(input.count, (head.contentLength ?? 0) - bytes.count)
    bytes += input[..<count]
    rest += input[count...]
  }

  private mutating func receiveChunks(_ input: [UInt8]) throws(HTTPError) {
    var position = 0
    while let range = try chunks.next(in: input.span, from: &position) {
      if bytes.count + range.count > bytesMax { throw tooLarge }
      bytes += input[range]
    }
    rest += input[position...]
  }

  private var tooLarge: HTTPError {
    HTTPError(status: 413, message: "the body is limited to \(bytesMax) bytes here")
  }
}
