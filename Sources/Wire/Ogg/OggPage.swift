/// The head of one Ogg page (RFC 3533 §6), and the page's place in the bytes.
public struct OggPage: Hashable, Sendable {
  public struct Flags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The page begins inside a packet of the page before.
    public static let continued = Flags(rawValue: 1)
    /// The first page of a logical stream.
    public static let first = Flags(rawValue: 2)
    /// The last page of a logical stream.
    public static let last = Flags(rawValue: 4)
    /// In a log: a link of the upstream begins with this page, and samples in front of it are not heard.
    ///
    /// RFC 3533 leaves the bit free, and players do not look at it. No listener is sent it.
    public static let begins = Flags(rawValue: 0x80)
  }

  /// The result of looking for a page.
  public enum Reading: Hashable {
    case none, needMore, page(OggPage)
    /// Bytes that claim to be a page of this length, with a wrong checksum.
    case damaged(bytes: Int)
  }

  public var flags: Flags
  /// Samples up to the end of the last packet that ends in this page; all ones if no packet ends here.
  public var granule: UInt64
  public var serial: UInt32
  public var sequence: UInt32
  /// The page's place in the bytes shown: head, lacing values and body.
  public var range: Range<Int>
  /// The number of lacing values.
  public var segments: Int

  /// The place of the lacing values.
  public var table: Range<Int> {
    range.lowerBound + Self.headBytes..<range.lowerBound + Self.headBytes + segments
  }
  public var body: Range<Int> { table.upperBound..<range.upperBound }

  /// The length of the head without lacing values.
  public static let headBytes = 27
  public static let segmentsMax = 255
  /// The most bytes of a page: the head, and 255 segments of 255 bytes with their lacing values.
  ///
  /// Of a packet of the log that is several pages, all but the last have so many.
  public static let bytesMax = headBytes + segmentsMax + segmentsMax * 255
  public static let flagsByte = 5
  static let granuleBytes = 6..<14
  static let serialBytes = 14..<18
  static let sequenceBytes = 18..<22
  static let checksumBytes = 22..<26

  /// Reads the page at `offset`.
  public static func read(in bytes: Span<UInt8>, at offset: Int) -> Reading {
    let capture: StaticString = "OggS"
    for index in 0..<4 {
      guard offset + index < bytes.count else { return .needMore }
      if bytes[offset + index] != capture.utf8Start[index] { return .none }
    }
    guard offset + headBytes <= bytes.count else { return .needMore }
    guard bytes[offset + 4] == 0 else { return .none }
    let segments = Int(bytes[offset + 26])
    var end = offset + headBytes + segments
    guard end <= bytes.count else { return .needMore }
    for index in offset + headBytes..<offset + headBytes + segments { end += Int(bytes[index]) }
    guard end <= bytes.count else { return .needMore }
    let checksum = UInt32(bytes.littleEndian(checksumBytes, at: offset))
    guard OggChecksum.page(bytes.extracting(offset..<end)) == checksum else {
      return .damaged(bytes: end - offset)
    }
    return .page(
      OggPage(
        flags: Flags(rawValue: bytes[offset + 5]),
        granule: bytes.littleEndian(granuleBytes, at: offset),
        serial: UInt32(bytes.littleEndian(serialBytes, at: offset)),
        sequence: UInt32(bytes.littleEndian(sequenceBytes, at: offset)), range: offset..<end,
        segments: segments))
  }

  /// The samples that Opus's identification header excludes from the recording (RFC 7845 §5.1); nil for other pages.
  public func preSkip(in bytes: Span<UInt8>) -> Int? {
    guard body.count >= 19, bytes.holds("OpusHead", at: body.lowerBound) else { return nil }
    return Int(bytes.littleEndian(10..<12, at: body.lowerBound))
  }

  /// The granule of a page in which no packet ends (RFC 3533 §6).
  static let granuleNone = UInt64.max

  /// The places of the pages of one packet of the log, whose pages are all full but the last.
  public static func places(in bytes: Int) -> Places { Places(bytes: bytes) }

  /// Ranges of `bytesMax` bytes, the last one shorter. Going through them allocates nothing.
  public struct Places: Sequence, IteratorProtocol {
    fileprivate var place = 0
    fileprivate let bytes: Int

    fileprivate init(bytes: Int) { self.bytes = bytes }

    public mutating func next() -> Range<Int>? {
      guard place < bytes else { return nil }
      defer { place += bytesMax }
      return place..<Swift.min(place + bytesMax, bytes)
    }
  }

  /// Gives the pages of one packet of the log their places in a logical stream.
  ///
  /// The checksums cost a pass over the pages.
  ///
  /// - Parameters:
  ///   - sequence: the first page's number.
  ///   - granule: the last page's granule; no packet ends in the others.
  /// - Returns: the number of pages.
  @discardableResult
  public static func stamp(
    _ pages: inout MutableSpan<UInt8>, serial: UInt32, sequence: UInt32, granule: UInt64
  ) -> UInt32 {
    var count: UInt32 = 0
    for page in places(in: pages.count) {
      let start = page.lowerBound
      let isLast = page.upperBound == pages.count
      pages.set(granuleBytes, at: start, to: isLast ? granule : granuleNone)
      pages.set(serialBytes, at: start, to: UInt64(serial))
      pages.set(sequenceBytes, at: start, to: UInt64(sequence &+ count))
      let checksum = OggChecksum.page(pages.span.extracting(page))
      pages.set(checksumBytes, at: start, to: UInt64(checksum))
      count += 1
    }
    return count
  }

  /// Gives a page another place by changing its head only. A CRC is linear, so the checksum of the difference is added.
  static func move(
    _ head: inout MutableSpan<UInt8>, of bytes: Int, without flags: Flags, serial: UInt32,
    sequence: UInt32, granule: UInt64
  ) {
    let old = InlineArray<27, UInt8> { head[$0] }
    head[flagsByte] &= ~flags.rawValue
    head.set(granuleBytes, to: granule)
    head.set(serialBytes, to: UInt64(serial))
    head.set(sequenceBytes, to: UInt64(sequence))
    let difference = InlineArray<27, UInt8> { index in
      checksumBytes.contains(index) ? 0 : old[index] ^ head[index]
    }
    let change = OggChecksum.of(difference.span, zeros: bytes - headBytes)
    let checksum = head.span.littleEndian(checksumBytes) ^ UInt64(change)
    head.set(checksumBytes, to: checksum)
  }
}

extension Span<UInt8> {
  /// Returns the number whose bytes stand in `range` after `offset`, least significant byte first; at most eight bytes.
  func littleEndian(_ range: Range<Int>, at offset: Int = 0) -> UInt64 {
    range.reversed().reduce(0) { $0 << 8 | UInt64(self[offset + $1]) }
  }

  /// Whether `text` stands at `offset`.
  func holds(_ text: StaticString, at offset: Int) -> Bool {
    guard offset >= 0, offset + text.utf8CodeUnitCount <= count else { return false }
    return (0..<text.utf8CodeUnitCount).allSatisfy { self[offset + $0] == text.utf8Start[$0] }
  }
}

extension MutableSpan<UInt8> {
  fileprivate mutating func set(_ range: Range<Int>, at offset: Int = 0, to value: UInt64) {
    for (place, index) in range.enumerated() {
      self[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(place)))
    }
  }
}
