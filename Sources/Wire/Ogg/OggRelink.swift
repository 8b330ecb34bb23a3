/// A logical stream for one listener, made of pages that have their place in another.
///
/// A player counts a stream's time from its first page, and some wait for ever when that is not near zero; and a chain's
/// link must neither have the number of the one before nor go back in time (RFC 3533 §4). So serial number, page number
/// and time are moved. What becomes of a page depends on nothing but the page and the first one.
public struct OggRelink: Hashable, Sendable {
  /// What is taken off a page's numbers.
  private struct Base: Hashable {
    var sequence: UInt32
    var granule: UInt64
  }

  private let serial: UInt32
  /// The number of the stream whose pages it is made of; nil: it does not matter.
  public let source: UInt32?
  private var base: Base?

  /// A stream with this number; its first page is the one that `move` is shown first.
  public init(serial: UInt32, from source: UInt32? = nil) {
    self.serial = serial
    self.source = source
  }

  /// A serial number that no stream of a log has: those are in the lower half.
  public static func serial(_ number: UInt32) -> UInt32 { 1 << 31 | number }

  /// Whether it has had its first page.
  public var isPlaced: Bool { base != nil }

  // Numbers kept for header pages; decoders take a jump behind them as at any join.
  private static let headerPages: UInt32 = 16

  /// The bytes of a page's head that are moved.
  public static let headBytes = OggPage.headBytes

  /// Moves a page by its head alone: the rest stays where it is, and the checksum follows from the difference.
  ///
  /// - Parameters:
  ///   - head: the page's first 27 bytes.
  ///   - bytes: of the whole page.
  ///   - samples: of the page; needed of the first one only.
  public mutating func move(_ head: inout MutableSpan<UInt8>, of bytes: Int, samples: () -> Int) {
    let sequence = UInt32(head.span.littleEndian(OggPage.sequenceBytes))
    let granule = head.span.littleEndian(OggPage.granuleBytes)
    if base == nil {
      base = Base(
        sequence: sequence &- Self.headerPages, granule: granule &- UInt64(max(0, samples())))
    }
    OggPage.move(
      &head, of: bytes, serial: serial, sequence: sequence &- base!.sequence,
      granule: granule &- base!.granule)
  }
}
