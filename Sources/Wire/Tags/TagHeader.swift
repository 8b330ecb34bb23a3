/// The head of a tag that stands between frames: the tag's kind and length.
///
/// Tags come in the middle of a stream wherever a server sends files one after another.
/// Sources: id3.org "ID3 tag version 2.4.0 - Main Structure" §3 (2.2 and 2.3 begin alike), id3.org "ID3v1",
/// wiki.hydrogenaud.io "APEv2 specification" and "APE Tags Header".
///
/// Lyrics3 and the "TAG+" extension are left out on purpose. They are passed over as garbage, which costs no frame. A
/// title that begins with "+" would cost a frame if it were read as "TAG+".
public struct TagHeader: Hashable, Sendable {
  enum Kind { case id3v2, id3v1, ape }
  var kind: Kind
  /// The whole tag's length in bytes, from its first byte to its last.
  var bytes: Int

  /// The result of looking for a tag: none, too few bytes, or a tag.
  enum Reading: Equatable {
    case none, needMore
    case tag(TagHeader)
  }

  /// The number of bytes that always suffices to recognise a tag.
  static let lookMax = apeHeadBytes
  /// The longest tag that is believed: one damaged size byte must not silence a station for hours. 16 MiB suffice,
  /// since covers in the wild stay below 10.
  static let bytesMax = 16 << 20

  private static let id3v2HeadBytes = 10
  private static let id3v1Bytes = 128
  private static let apeHeadBytes = 32

  /// Reads the tag head at `offset`.
  static func read(in bytes: Span<UInt8>, at offset: Int) -> Reading {
    guard offset < bytes.count else { return .needMore }
    switch bytes[offset] {
    case UInt8(ascii: "I"): return readID3v2(in: bytes, at: offset)
    case UInt8(ascii: "T"): return readID3v1(in: bytes, at: offset)
    case UInt8(ascii: "A"): return readAPE(in: bytes, at: offset)
    default: return .none
    }
  }

  private static func readID3v2(in bytes: Span<UInt8>, at offset: Int) -> Reading {
    guard bytes.agrees(with: "ID3", at: offset) else { return .none }
    guard bytes.count - offset >= id3v2HeadBytes else { return .needMore }
    // ID3v2 has versions 2.2 to 2.4. Their low flags are zero, and the revision is never 0xFF.
    let version = bytes[offset + 3]
    let flags = bytes[offset + 5]
    guard 2...4 ~= version, bytes[offset + 4] != 0xFF, flags & 0x0F == 0 else { return .none }
    let footer = version == 4 && flags & 0x10 != 0 ? id3v2HeadBytes : 0
    return believe(.id3v2, id3v2HeadBytes + id3v2Size(in: bytes, at: offset + 6) + footer)
  }

  /// Reads a size of four times 7 bits. Some taggers write a plain number, which a byte above 0x7F betrays.
  private static func id3v2Size(in bytes: Span<UInt8>, at offset: Int) -> Int {
    let word = bytes.bigEndianWord(at: offset)
    guard word & 0x8080_8080 == 0 else { return Int(word) }
    let high = (word & 0x7F00_0000) >> 3 | (word & 0x007F_0000) >> 2
    return Int(high | (word & 0x7F00) >> 1 | word & 0x7F)
  }

  private static func readID3v1(in bytes: Span<UInt8>, at offset: Int) -> Reading {
    guard bytes.agrees(with: "TAG", at: offset) else { return .none }
    return bytes.count - offset < 3 ? .needMore : believe(.id3v1, id3v1Bytes)
  }

  /// Reads an APE header, which leads its whole tag, or a lone footer (APEv1 has no header), which ends a tag.
  private static func readAPE(in bytes: Span<UInt8>, at offset: Int) -> Reading {
    guard bytes.agrees(with: "APETAGEX", at: offset) else { return .none }
    guard bytes.count - offset >= apeHeadBytes else { return .needMore }
    let version = bytes.littleEndianWord(at: offset + 8)
    guard version == 1000 || version == 2000 else { return .none }
    // Bit 29 marks the header. The size counts the footer but not the header.
    let isHeader = bytes.littleEndianWord(at: offset + 20) & 0x2000_0000 != 0
    let size = isHeader ? Int(bytes.littleEndianWord(at: offset + 12)) : 0
    return believe(.ape, apeHeadBytes + size)
  }

  private static func believe(_ kind: Kind, _ bytes: Int) -> Reading {
    bytes <= bytesMax ? .tag(TagHeader(kind: kind, bytes: bytes)) : .none
  }
}

extension Span<UInt8> {
  /// Whether the bytes from `offset` agree with `text`, as far as there are bytes.
  func agrees(with text: StaticString, at offset: Int) -> Bool {
    text.withUTF8Buffer { text in
      for i in 0..<Swift.min(text.count, count - offset) where self[offset + i] != text[i] {
        return false
      }
      return true
    }
  }
}
