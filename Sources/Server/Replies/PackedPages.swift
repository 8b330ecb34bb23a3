import Synchronization
import Wire

/// The last pages that were compressed: a page that all clients are told alike is packed once, and not once for each.
final class PackedPages: Sendable {
  static let shared = PackedPages()

  private struct Page {
    var body: [UInt8]
    /// The page compressed; nil when that failed.
    var packed: [UInt8]?
  }

  /// Bytes of pages and packed pages together.
  private static let bytesMax = 8 * 1024 * 1024
  private static let pagesMax = 16

  // Least recently used first.
  private let pages = Mutex<[Page]>([])

  /// Returns a page compressed. Only a page equal in every byte counts as the same.
  func packed(_ body: [UInt8]) -> [UInt8]? {
    let found: Page? = pages.withLock { pages in
      guard let place = pages.firstIndex(where: { $0.body == body }) else { return nil }
      let page = pages.remove(at: place)
      pages.append(page)
      return page
    }
    if let found { return found.packed }
    let packed = Gzip.compress(body)
    guard body.count <= Self.bytesMax / 4 else { return packed }
    pages.withLock { pages in
      pages.append(Page(body: body, packed: packed))
      var bytes = 0
      let kept = pages.reversed().prefix(Self.pagesMax).prefix { page in
        bytes += page.body.count + (page.packed?.count ?? 0)
        return bytes <= Self.bytesMax
      }
      pages = kept.reversed()
    }
    return packed
  }
}
