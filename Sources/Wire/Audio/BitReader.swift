/// A place among bytes from which bits are read, most significant first.
struct BitReader {
  /// Bits from the first byte on.
  private var offset: Int

  /// - Parameter byte: The byte to begin at; of a packet, so that its bits can be counted.
  init(at byte: Int) { offset = byte * 8 }

  mutating func skip(_ bits: Int) { offset += bits }

  /// The next `width` bits of `bytes`, at most 16: three bytes hold them wherever they begin. Nil beyond the end.
  mutating func read(_ width: Int, of bytes: Span<UInt8>) -> Int? {
    guard offset + width <= bytes.count * 8 else { return nil }
    let first = offset / 8
    var word = 0
    for place in first..<(first + 3) {
      word = word << 8 | (place < bytes.count ? Int(bytes[place]) : 0)
    }
    let value = word >> (24 - offset % 8 - width) & ((1 << width) - 1)
    offset += width
    return value
  }
}
