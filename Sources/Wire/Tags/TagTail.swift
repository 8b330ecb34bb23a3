/// A tag that ends a file: ID3v1, APE, ID3v2.4 with a footer, Lyrics3v2.
///
/// Sources: as of `TagHeader`; id3.org "Lyrics3 v2.00".
public enum TagTail {
  /// The number of bytes at a file's end that suffices.
  public static let lookMax = 128

  /// Returns the length of the tag that these bytes end; 0 where they end none.
  ///
  /// Several tags may stand one after another, so what is in front of a tag has to be looked at in turn.
  public static func bytes(at end: Span<UInt8>) -> Int {
    let count = end.count
    if count >= 128, end.agrees(with: "TAG", at: count - 128) { return 128 }
    if count >= 32, end.agrees(with: "APETAGEX", at: count - 32) {
      let hasHeader = end.littleEndianWord(at: count - 12) & 0x8000_0000 != 0
      // The size counts the footer, not the header.
      let size = Int(end.littleEndianWord(at: count - 20))
      return size >= 32 ? believed(size + (hasHeader ? 32 : 0)) : 0
    }
    if count >= 10, end.agrees(with: "3DI", at: count - 10) {
      let size = end.bigEndianWord(at: count - 4)
      guard size & 0x8080_8080 == 0 else { return 0 }
      let high = (size & 0x7F00_0000) >> 3 | (size & 0x007F_0000) >> 2
      return believed(Int(high | (size & 0x7F00) >> 1 | size & 0x7F) + 20)
    }
    if count >= 15, end.agrees(with: "LYRICS200", at: count - 9) {
      var size = 0
      for index in count - 15..<count - 9 {
        guard ASCII.isDigit(end[index]) else { return 0 }
        size = size * 10 + Int(end[index] - UInt8(ascii: "0"))
      }
      return believed(size + 15)
    }
    return 0
  }

  private static func believed(_ bytes: Int) -> Int { bytes <= TagHeader.bytesMax ? bytes : 0 }
}

extension TagHeader {
  /// The length of the ID3v2 tag that these bytes begin; nil for anything else. 10 bytes suffice.
  public static func id3v2Bytes(in bytes: Span<UInt8>) -> Int? {
    guard case .tag(let tag) = read(in: bytes, at: 0), tag.kind == .id3v2 else { return nil }
    return tag.bytes
  }
}
