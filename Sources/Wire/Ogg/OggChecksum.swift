/// The CRC of Ogg pages (RFC 3533 §6): polynomial 0x04C11DB7, most significant bit first, initial and final value 0.
enum OggChecksum {
  /// Remainders of each byte that is followed by 0, 1 … 7 zero bytes, so that eight bytes are one step.
  private static let table: [UInt32] = {
    var table = (0..<256).map { byte in
      (0..<8).reduce(UInt32(byte) << 24) { crc, _ in
        crc & 0x8000_0000 != 0 ? crc << 1 ^ 0x04C1_1DB7 : crc << 1
      }
    }
    for index in 256..<2048 {
      let shorter = table[index - 256]
      table.append(shorter << 8 ^ table[Int(shorter >> 24)])
    }
    return table
  }()

  private static let zeros = [UInt8](repeating: 0, count: OggPage.checksumBytes.count)

  /// Adds bytes to a remainder.
  private static func add(_ bytes: Span<UInt8>, to crc: UInt32) -> UInt32 {
    table.withUnsafeBufferPointer { table in
      var (crc, index) = (crc, 0)
      func entry(_ zeros: Int, _ word: UInt64, _ shift: UInt64) -> UInt32 {
        table[zeros << 8 | Int(UInt8(truncatingIfNeeded: word >> shift))]
      }
      let raw = bytes.bytes
      while index + 8 <= bytes.count {
        // Any eight bytes are a number, and the span checks that they are its own.
        let next = UInt64(
          bigEndian: raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
        let word = next ^ UInt64(crc) << 32
        let high = entry(7, word, 56) ^ entry(6, word, 48) ^ entry(5, word, 40) ^ entry(4, word, 32)
        crc = high ^ entry(3, word, 24) ^ entry(2, word, 16) ^ entry(1, word, 8) ^ entry(0, word, 0)
        index += 8
      }
      while index < bytes.count {
        crc = crc << 8 ^ table[Int(UInt8(truncatingIfNeeded: crc >> 24) ^ bytes[index])]
        index += 1
      }
      return crc
    }
  }

  /// Returns the checksum of `bytes` followed by `zeros` zero bytes.
  static func of(_ bytes: Span<UInt8>, zeros: Int) -> UInt32 {
    var crc = add(bytes, to: 0)
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
    let own = OggPage.checksumBytes
    let front = add(bytes.extracting(first: own.lowerBound), to: 0)
    let left = max(0, bytes.count - own.lowerBound)
    let middle = add(zeros.span.extracting(first: left), to: front)
    return add(bytes.extracting(droppingFirst: own.upperBound), to: middle)
  }
}
