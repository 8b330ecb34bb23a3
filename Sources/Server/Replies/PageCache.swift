import Synchronization
import Wire

/// A whole answer that is still to be made. Everything that grows with what strangers, upstreams or folders hold is
/// answered by one of these, so that neither the loops nor Swift's pool have the work.
public struct PageOrder: Sendable {
  /// Most bytes of a list: 10,000 entries of 800.
  public static let bytesMax = 8 << 20

  /// Names what the page is made of: orders with equal keys get one page. Nil for a page of one client's own.
  public var key: String?
  /// Whether the page lists a folder, which takes a fifth of a second: other pages do not wait for it.
  public var isLong = false
  public var status: Int
  public var mediaType: String
  public var fields: [HTTPFields.Field]
  /// Makes the body; what takes long asks whether anybody still waits for it, and ends early where nobody does.
  public var body: @Sendable (_ isWanted: () -> Bool) -> [UInt8]

  public init(
    key: String? = nil, status: Int = 200, mediaType: String, fields: [HTTPFields.Field] = [],
    body: @escaping @Sendable () -> [UInt8]
  ) {
    self.key = key
    self.status = status
    self.mediaType = mediaType
    self.fields = fields
    self.body = { _ in body() }
  }

  /// A page that takes long.
  public init(
    longKey key: String, mediaType: String,
    body: @escaping @Sendable (_ isWanted: () -> Bool) -> [UInt8]
  ) {
    (self.key, isLong) = (key, true)
    (status, self.mediaType, fields) = (200, mediaType, [])
    self.body = body
  }
}

/// Makes pages, see `SharedCache`. A page is kept for a second after it was made: what its key names does not change.
final class PageCache: Sendable {
  /// A page's name, and what tells pages of one name apart.
  private struct Key: Hashable {
    enum Page: Hashable { case known(String), own(UInt64) }

    var page: Page
    var status: Int
    var mediaType: String
    var takesGzip: Bool
    var isTagged: Bool
  }

  private let cache = PageCache.cache("pages")
  /// Makes lists of folders, which take a fifth of a second each.
  private let longCache = PageCache.cache("pages.long")

  private static func cache(_ name: String) -> SharedCache<Key, Representation> {
    SharedCache(name, keptSeconds: 1, keptBytesMax: 16 << 20) { key, page in
      if case .own = key.page { nil } else { page.body.count + 1024 }
    }
  }

  private let lastOwn = Atomic<UInt64>(0)

  /// Number of pages made.
  var made: Int { cache.made + longCache.made }

  /// Returns the page in the form that suits the client; nil when too many are asked for, or the client has gone.
  func page(
    _ order: PageOrder, to head: HTTPRequestHead, for customer: AddressBlock?
  ) async -> Representation? {
    let number = lastOwn.add(1, ordering: .relaxed).newValue
    let key = Key(
      page: order.key.map { .known($0) } ?? .own(number),
      status: order.status, mediaType: order.mediaType,
      takesGzip: ContentCoding.preferred(by: head.fields) == .gzip,
      isTagged: head.asksForPage)
    let cache = order.isLong ? longCache : cache
    let made = await cache.value(key, for: customer) { isWanted in
      var page = Representation(
        status: order.status, mediaType: order.mediaType, body: order.body(isWanted),
        fields: order.fields)
      page.finish(takesGzip: key.takesGzip, isTagged: key.isTagged)
      page.shared = MemoryRoom.SharedPage()
      return page
    }
    guard var page = made else { return nil }
    page.revalidate(head)
    return page
  }
}
