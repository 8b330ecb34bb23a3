/// The CRC of Ogg pages (RFC 3533 §6): polynomial 0x04C11DB7, most significant bit first, beginning and ending with 0.
enum OggChecksum {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte) << 24) { crc, _ in
      crc & 0x8000_0000 != 0 ? crc << 1 ^ 0x04C1_1DB7 : crc << 1
    }
  }

  /// Of a whole page, with its four bytes of checksum taken as 0.
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
