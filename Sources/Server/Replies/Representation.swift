import Wire

/// A whole answer in the form that suits the client: compressed where the client accepts that and it is worth it. The
/// body is left out where the client has it already.
struct Representation {
  var status: Int
  var mediaType: String
  var body: [UInt8]
  var fields: [HTTPFields.Field]
  /// Set where several clients may take the page: `body` is in memory once for all of them.
  var shared: MemoryRoom.SharedPage?
  private var tag: EntityTag?

  init(status: Int, mediaType: String, body: [UInt8], fields: [HTTPFields.Field]) {
    self.status = status
    self.mediaType = mediaType
    self.body = body
    self.fields = fields
  }

  /// Below this size, compressing saves no packet.
  static let compressedBytesMin = 1024
  /// Above this size, compressing would take a thread longer than a third of a second, again for every client.
  static let compressedBytesMax = 16 * 1024 * 1024

  /// Suits the answer to a request. Not for a loop's thread, unless the body is short: it is hashed and perhaps
  /// compressed. What may be long is suited by a `PageCache`.
  mutating func suit(_ head: HTTPRequestHead) {
    finish(
      takesGzip: ContentCoding.preferred(by: head.fields) == .gzip, isTagged: head.asksForPage,
      unless: { $0.isNamed(in: head.fields) })
    revalidate(head)
  }

  /// Does what is the same for all clients that take this form.
  ///
  /// - Parameters:
  ///   - isTagged: whether the request's method lets the client keep the answer.
  ///   - isKnown: whether the client has the page of this tag: then it is not compressed.
  mutating func finish(
    takesGzip: Bool, isTagged: Bool, unless isKnown: (EntityTag) -> Bool = { _ in false }
  ) {
    var isCompressed = takesGzip
    if isRevalidated, status == 200, isTagged {
      let tag = EntityTag(of: body)
      fields.append(.init(name: "ETag", value: tag.description))
      self.tag = tag
      if isKnown(tag) { isCompressed = false }
    }
    guard isText, !isPacked, body.count >= Self.compressedBytesMin,
      body.count <= Self.compressedBytesMax
    else { return }
    fields.append(.init(name: "Vary", value: "Accept-Encoding"))
    guard isCompressed,
      let packed = isRevalidated ? PackedPages.shared.packed(body) : Gzip.compress(body),
      packed.count < body.count
    else { return }
    fields.append(.init(name: "Content-Encoding", value: "gzip"))
    body = packed
  }

  /// Whether suiting it to a request hashes or compresses it.
  fileprivate func isWork(for head: HTTPRequestHead) -> Bool {
    let isTagged = isRevalidated && status == 200 && head.asksForPage
    return isTagged || isText && !isPacked && ContentCoding.preferred(by: head.fields) == .gzip
  }

  /// Makes the answer 304 for a client that has the page already.
  mutating func revalidate(_ head: HTTPRequestHead) {
    guard let tag, tag.isNamed(in: head.fields) else { return }
    status = 304
    body = []
    fields.removeAll { $0.name == "Content-Encoding" }
  }

  /// Whether the answer may be kept, which its fields say; every other answer is asked for anew each time.
  private var isRevalidated: Bool {
    fields.contains { $0.name == "Cache-Control" && $0.value == CacheControl.revalidate.value }
  }

  /// Whether the body is compressed already.
  private var isPacked: Bool { fields.contains { $0.name == "Content-Encoding" } }

  private var isText: Bool {
    mediaType.hasPrefix("text/") || mediaType.hasPrefix("application/json")
  }
}

/// How long an answer counts.
public enum CacheControl {
  /// The answer may be kept, and is to be asked for again with its tag before it is used.
  public static let revalidate = HTTPFields.Field(name: "Cache-Control", value: "no-cache")
  public static let forADay = HTTPFields.Field(
    name: "Cache-Control", value: "public, max-age=86400")
  /// The answer never changes.
  public static let immutable = HTTPFields.Field(
    name: "Cache-Control", value: "public, max-age=31536000, immutable")
  /// The answer is not to be kept: audio, what only administrators see, what went wrong.
  public static let none = HTTPFields.Field(name: "Cache-Control", value: "no-cache, no-store")
}

extension APIResponse {
  /// Whether hashing or compressing the answer takes too long for Swift's pool: more than a few tenths of a
  /// millisecond. Where it is sent as it is, it has no length that is too much.
  func isLong(for head: HTTPRequestHead) -> Bool {
    guard case .whole(let status, let mediaType, let body, let fields) = self else { return false }
    let page = Representation(status: status, mediaType: mediaType, body: body, fields: fields)
    return body.count > 16 * Representation.compressedBytesMin && page.isWork(for: head)
  }

  /// Returns the answer in the form that suits the client, see `Representation.suit`.
  func suiting(_ head: HTTPRequestHead) -> APIResponse {
    guard case .whole(let status, let mediaType, let body, let fields) = self else { return self }
    var page = Representation(status: status, mediaType: mediaType, body: body, fields: fields)
    page.suit(head)
    return .whole(
      status: page.status, mediaType: page.mediaType, body: page.body, fields: page.fields)
  }
}

extension HTTPRequestHead {
  /// Whether the client may keep the answer.
  var asksForPage: Bool { method == "GET" || method == "HEAD" }
}
