/// Appends little-endian numbers and varints.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func put<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func put(_ more: [UInt8]) { bytes.append(contentsOf: more) }

  /// Appends seven bits a byte, the low ones first (LEB128).
  mutating func put(varint number: UInt32) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}

/// Reads what `ByteWriter` wrote; nil beyond the end. The bytes come from a disk, so every length is checked.
struct ByteReader {
  let bytes: UnsafeRawBufferPointer
  private(set) var offset: Int

  init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) {
    self.bytes = bytes
    self.offset = offset
  }

  var left: Int { bytes.count - offset }

  mutating func read<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
    guard left >= MemoryLayout<Number>.size else { return nil }
    defer { offset += MemoryLayout<Number>.size }
    return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  mutating func read(bytes count: Int) -> UnsafeRawBufferPointer? {
    guard count >= 0 && left >= count else { return nil }
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
  }

  mutating func readVarint() -> UInt32? {
    var number: UInt64 = 0
    for shift in stride(from: 0, to: 35, by: 7) {
      guard let byte = read(UInt8.self) else { return nil }
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return UInt32(exactly: number) }
    }
    return nil
  }
}
