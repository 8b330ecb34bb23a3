/// A logical stream for one listener, made of pages that have their place in another: after a jump, since a chain's link
/// must neither have the number of the one before nor go back in time (RFC 3533 §4).
///
/// Numbers are shifted, so what becomes of a page depends on nothing but the page.
public struct OggRelink: Hashable, Sendable {
  private let serial: UInt32
  private let sequence: UInt32
  private let granule: UInt64

  /// - Parameters:
  ///   - number: of this stream among those made; it keeps serial numbers apart.
  ///   - first: the page that comes behind the header pages; nil where it is not known: then only the serial changes.
  ///   - samples: of that page.
  public init(number: UInt32, first: Span<UInt8>?, samples: Int) {
    // The lower half of the numbers is for streams that everybody gets.
    serial = 1 << 31 | number
    guard let first, case .page(let page) = OggPage.read(in: first, at: 0) else {
      (sequence, granule) = (0, 0)
      return
    }
    sequence = page.sequence &- UInt32(Self.headerPages)
    granule = page.granule &- UInt64(samples)
  }

  // As many sequence numbers are kept for header pages; decoders take a jump there for what it is at any join.
  private static let headerPages = 16

  /// The pages that this stream begins with.
  public func pages(_ headers: OggHeaders) -> [UInt8] { headers.pages(serial: serial) }

  /// Moves the one page that `page` is. Costs a pass over it.
  public func restamp(_ page: inout MutableSpan<UInt8>) {
    let number = UInt32(page.span.littleEndian(OggPage.sequenceBytes))
    let samples = page.span.littleEndian(OggPage.granuleBytes)
    OggPage.stamp(
      &page, serial: serial, sequence: number &- sequence, granule: samples &- granule)
  }
}
