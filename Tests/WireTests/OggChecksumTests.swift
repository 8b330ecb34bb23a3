import Testing

@testable import Wire

@Suite struct OggChecksumTests {
  /// The checksum by its definition: bit by bit.
  private func bitwise(_ bytes: [UInt8]) -> UInt32 {
    bytes.reduce(0) { crc, byte in
      (0..<8).reduce(crc ^ UInt32(byte) << 24) { crc, _ in
        crc & 0x8000_0000 != 0 ? crc << 1 ^ 0x04C1_1DB7 : crc << 1
      }
    }
  }

  @Test func `a page's checksum is that of its bits, whatever its length`() {
    for count in 0..<300 {
      let page = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 167 + count) }
      var blank = page
      for index in OggPage.checksumBytes where index < count { blank[index] = 0 }
      #expect(OggChecksum.page(page.span) == bitwise(blank), "\(count) bytes")
      #expect(OggChecksum.of(page.span, zeros: 0) == bitwise(page))
      #expect(
        OggChecksum.of(page.span, zeros: count)
          == bitwise(page + [UInt8](repeating: 0, count: count)))
    }
  }
}
