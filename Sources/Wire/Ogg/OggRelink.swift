/// A logical stream for one listener, made of pages that have their place in another stream.
///
/// A player counts a stream's time from its first page; some players wait for ever when that time is not near zero. A
/// chain's link must not have the serial number of the link before, and must not go back in time (RFC 3533 §4). So
/// serial number, page number and time are changed. The result for a page depends only on that page and the first
/// packet's.
public struct OggRelink: Hashable, Sendable {
  /// The offsets that are subtracted from a page's numbers.
  private struct Base: Hashable {
    var sequence: UInt32
    var granule: UInt64
  }

  private let serial: UInt32
  /// The serial number of the stream whose pages are relinked; nil if pages of any stream are.
  public let source: UInt32?
  private var base: Base?
  /// Where in its log the stream ends, once that is known; another must begin there.
  public var end: UInt64?

  /// Makes a stream with this serial number; the packet given to `begin` becomes its first.
  public init(serial: UInt32, from source: UInt32? = nil) {
    self.serial = serial
    self.source = source
  }

  /// Returns a serial number that no stream of a log has: log streams use the lower half of the numbers.
  public static func serial(_ number: UInt32) -> UInt32 { 1 << 31 | number }

  /// Whether the stream has had its first packet.
  public var isPlaced: Bool { base != nil }

  // Page numbers kept free for header pages; decoders accept the jump after the headers as at any join.
  private static let headerPages: UInt32 = 16

  /// The length of a page's head, the part that `move` changes.
  public static let headBytes = OggPage.headBytes

  /// Begins the stream with the pages of a packet of the log, which are counted from zero.
  ///
  /// - Parameter samples: the samples of the packet.
  public mutating func begin(with packet: Span<UInt8>, samples: Int) {
    // The last page tells where the packet ends; all others are full.
    let last = packet.count / OggPage.bytesMax * OggPage.bytesMax
    guard base == nil, packet.count - last >= OggPage.headBytes else { return }
    let granule = packet.littleEndian(OggPage.granuleBytes, at: last)
    base = Base(
      sequence: UInt32(packet.littleEndian(OggPage.sequenceBytes)) &- Self.headerPages,
      granule: granule &- UInt64(max(0, samples)))
  }

  /// Moves a page by changing its head only; the checksum follows from the difference.
  ///
  /// - Parameters:
  ///   - head: The page's first 27 bytes.
  ///   - bytes: The length of the whole page.
  ///   - isEnd: Whether a page that ends a link ends this stream too.
  public func move(_ head: inout MutableSpan<UInt8>, of bytes: Int, isEnd: Bool) {
    guard let base else { return }
    let sequence = UInt32(head.span.littleEndian(OggPage.sequenceBytes))
    let granule = head.span.littleEndian(OggPage.granuleBytes)
    OggPage.move(
      &head, of: bytes, without: isEnd ? .begins : [.begins, .last], serial: serial,
      sequence: sequence &- base.sequence,
      granule: granule == OggPage.granuleNone ? granule : granule &- base.granule)
  }

  /// Moves the pages of one packet of the log where they stand.
  public func move(pages: UnsafeMutableRawBufferPointer, isEnd: Bool) {
    for page in OggPage.places(in: pages.count) where page.count >= Self.headBytes {
      let head = UnsafeMutableRawBufferPointer(rebasing: pages[page].prefix(Self.headBytes))
      var span = head.bindMemory(to: UInt8.self).mutableSpan
      move(&span, of: page.count, isEnd: isEnd)
    }
  }
}
