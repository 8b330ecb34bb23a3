import Wire

/// A whole answer in the form that suits who asked: compressed where that is taken and worth it, and not at all where
/// the client has it already.
struct Representation {
  var status: Int
  var mediaType: String
  var body: [UInt8]
  var fields: [HTTPFields.Field]

  /// Below, a packet is saved by nothing.
  static let compressedBytesMin = 1024
  /// Above, compressing would take a thread longer than a third of a second, again for everybody who asks.
  static let compressedBytesMax = 16 * 1024 * 1024

  /// Not for a loop's thread, unless it is a playlist: the body is hashed and perhaps compressed.
  mutating func suit(_ head: HTTPRequestHead) {
    if isRevalidated, status == 200, head.method == "GET" || head.method == "HEAD" {
      let tag = EntityTag(of: body)
      fields.append(.init(name: "ETag", value: tag.description))
      if tag.isNamed(in: head.fields) { status = 304 }
    }
    guard isText, body.count >= Self.compressedBytesMin, body.count <= Self.compressedBytesMax
    else { return }
    fields.append(.init(name: "Vary", value: "Accept-Encoding"))
    guard status != 304, ContentCoding.preferred(by: head.fields) == .gzip,
      let packed = isRevalidated ? PackedPages.shared.packed(body) : Gzip.compress(body),
      packed.count < body.count
    else { return }
    fields.append(.init(name: "Content-Encoding", value: "gzip"))
    body = packed
  }

  /// What may be kept says so; everything else is asked for anew each time.
  private var isRevalidated: Bool {
    fields.contains { $0.name == "Cache-Control" && $0.value == CacheControl.revalidate.value }
  }

  private var isText: Bool {
    mediaType.hasPrefix("text/") || mediaType.hasPrefix("application/json")
  }
}

/// How long an answer counts.
public enum CacheControl {
  /// It may be kept, and is to be asked for again with its tag before it is used.
  public static let revalidate = HTTPFields.Field(name: "Cache-Control", value: "no-cache")
  /// It is not to be kept: audio, what only administrators see, what went wrong.
  static let none = HTTPFields.Field(name: "Cache-Control", value: "no-cache, no-store")
}

extension APIResponse {
  /// The answer in the form that suits who asked, see `Representation.suit`.
  func suiting(_ head: HTTPRequestHead) -> APIResponse {
    guard case .whole(let status, let mediaType, let body, let fields) = self else { return self }
    var page = Representation(status: status, mediaType: mediaType, body: body, fields: fields)
    page.suit(head)
    return .whole(
      status: page.status, mediaType: page.mediaType, body: page.body, fields: page.fields)
  }
}
