/// Decodes the chunks of a body (RFC 9112 section 7.1).
///
/// The decoder is strict: sizes are hexadecimal, lines end in CR LF, and nothing stands between chunks. Extensions and
/// trailers are passed over. Input may come in pieces of any size.
///
/// ```swift
/// var position = 0
/// while let range = try decoder.next(in: bytes, from: &position) { body += bytes[range] }
/// if decoder.isAtEnd { /* what follows `position` is not the body's */ }
/// ```
public struct HTTPChunkDecoder: Hashable, Sendable {
  private enum State: Hashable {
    /// In a chunk's first line, with the size so far and its number of digits.
    case size(Int, digits: Int)
    case sizeExtension(Int)
    case sizeLineFeed(Int)
    case data(left: Int)
    case dataReturn, dataLineFeed
    /// In the lines behind the last chunk, with the number of bytes of the line so far.
    case trailer(length: Int)
    case trailerLineFeed(length: Int)
    case end
  }

  /// The most digits of a chunk's size: 16 TiB less one byte.
  private static let digitsMax = 11
  /// The most bytes of extensions and trailers of a whole body.
  public static let otherBytesMax = 8192

  private var state = State.size(0, digits: 0)
  private var otherBytes = 0

  public init() {}

  /// Whether the body has ended.
  public var isAtEnd: Bool { state == .end }

  /// Returns the next stretch of the body in `bytes`; nil when `bytes` are used up, or when the body has ended.
  ///
  /// - Parameter position: Where to continue; moved past the bytes read.
  /// - Throws: `HTTPError` with status 400; the connection cannot be used any more.
  public mutating func next(
    in bytes: Span<UInt8>, from position: inout Int
  ) throws(HTTPError) -> Range<Int>? {
    while position < bytes.count && state != .end {
      if case .data(let left) = state {
        let range = position..<min(bytes.count, position + left)
        position = range.upperBound
        state = range.count == left ? .dataReturn : .data(left: left - range.count)
        return range
      }
      try step(bytes[position])
      position += 1
    }
    return nil
  }

  private mutating func step(_ byte: UInt8) throws(HTTPError) {
    switch state {
    case .size(let size, let digits): try stepSize(byte, size, digits)
    case .sizeExtension(let size):
      if byte == ASCII.carriageReturn { state = .sizeLineFeed(size) } else { try readOver(byte) }
    case .sizeLineFeed(let size):
      try expect(ASCII.lineFeed, byte)
      state = size == 0 ? .trailer(length: 0) : .data(left: size)
    case .dataReturn:
      try expect(ASCII.carriageReturn, byte)
      state = .dataLineFeed
    case .dataLineFeed:
      try expect(ASCII.lineFeed, byte)
      state = .size(0, digits: 0)
    case .trailer(let length):
      if byte == ASCII.carriageReturn {
        state = .trailerLineFeed(length: length)
      } else {
        try readOver(byte)
        state = .trailer(length: length + 1)
      }
    case .trailerLineFeed(let length):
      try expect(ASCII.lineFeed, byte)
      state = length == 0 ? .end : .trailer(length: 0)
    case .data, .end: break
    }
  }

  private mutating func stepSize(_ byte: UInt8, _ size: Int, _ digits: Int) throws(HTTPError) {
    if let value = ASCII.hexValue(byte) {
      guard digits < Self.digitsMax else { throw .badRequest("A chunk is too large.") }
      state = .size(size << 4 | Int(value), digits: digits + 1)
      return
    }
    guard digits > 0 else { throw .badRequest("A chunk has no size.") }
    switch byte {
    case ASCII.carriageReturn: state = .sizeLineFeed(size)
    case UInt8(ascii: ";"), ASCII.space, ASCII.tab: state = .sizeExtension(size)
    default: throw .badRequest("A chunk's size is not hexadecimal.")
    }
  }

  private mutating func readOver(_ byte: UInt8) throws(HTTPError) {
    guard !ASCII.isControl(byte) || byte == ASCII.tab else {
      throw .badRequest("A chunk's line has a control character.")
    }
    otherBytes += 1
    guard otherBytes <= Self.otherBytesMax else {
      throw .badRequest("The chunks' lines are longer than \(Self.otherBytesMax) bytes.")
    }
  }

  private func expect(_ expected: UInt8, _ byte: UInt8) throws(HTTPError) {
    guard byte == expected else { throw .badRequest("A chunk does not end where it says.") }
  }
}
