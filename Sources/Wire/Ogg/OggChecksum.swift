/// The CRC of Ogg pages (RFC 3533 §6): polynomial 0x04C11DB7, most significant bit first, initial and final value 0.
enum OggChecksum {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte) << 24) { crc, _ in
      crc & 0x8000_0000 != 0 ? crc << 1 ^ 0x04C1_1DB7 : crc << 1
    }
  }

  /// Returns the checksum of `bytes` followed by `zeros` zero bytes.
  static func of(_ bytes: Span<UInt8>, zeros: Int) -> UInt32 {
    var crc = table.withUnsafeBufferPointer { table in
      var crc: UInt32 = 0
      for index in bytes.indices {
        crc = crc << 8 ^ table[Int(UInt8(truncatingIfNeeded: crc >> 24) ^ bytes[index])]
      }
      return crc
    }
    var (left, power) = (zeros, 0)
    while left > 0 {
      if left & 1 == 1 { crc = product(crc, powers[power]) }
      (left, power) = (left >> 1, power + 1)
    }
    return crc
  }

  /// x to the power of 8 × 2^n, by which 2^n zero bytes multiply a remainder.
  private static let powers: [UInt32] = (1..<17).reduce(into: [1 << 8]) { powers, _ in
    powers.append(product(powers.last!, powers.last!))
  }

  /// Returns the product of two polynomials, modulo the CRC's polynomial.
  private static func product(_ one: UInt32, _ other: UInt32) -> UInt32 {
    var result: UInt32 = 0
    for bit in (0..<32).reversed() {
      result = result << 1 ^ (result >> 31 &* 0x04C1_1DB7)
      result ^= (other >> UInt32(bit) & 1) &* one
    }
    return result
  }

  /// Returns the checksum of a whole page, with its four checksum bytes read as 0.
  static func page(_ bytes: Span<UInt8>) -> UInt32 {
    table.withUnsafeBufferPointer { table in
      var crc: UInt32 = 0
      for index in bytes.indices {
        let byte = OggPage.checksumBytes.contains(index) ? 0 : bytes[index]
        crc = crc << 8 ^ table[Int(UInt8(truncatingIfNeeded: crc >> 24) ^ byte)]
      }
      return crc
    }
  }
}
