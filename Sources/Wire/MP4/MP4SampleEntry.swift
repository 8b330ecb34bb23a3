/// What a decoder must know of an audio track: its first sample entry (stsd, ISO/IEC 14496-12 §12.2.3).
///
/// AAC has its setup in an ES descriptor (ISO/IEC 14496-1 §7.2.6.5), which QuickTime puts into a box `wave`. ALAC has it
/// in a box of its own name.
public struct MP4SampleEntry: Hashable, Sendable {
  public enum Setup: Hashable, Sendable {
    /// An AudioSpecificConfig.
    case aac([UInt8])
    /// The box `alac` with its head.
    case alac([UInt8])
  }

  public var kind: UInt32
  /// Nil where the codec is another one, or its setup is missing.
  public var setup: Setup?

  /// The most bytes of an entry that are looked at.
  public static let bytesMax = 64 * 1024

  /// Reads an entry with its head.
  public init?(in bytes: Span<UInt8>) {
    guard let box = MP4Box(in: bytes), bytes.count >= 36 else { return nil }
    kind = box.kind
    let end = Int(min(box.bytes ?? .max, UInt64(bytes.count)))
    // Version 1 and 2 of QuickTime have 16 and 36 bytes more.
    let version = Int(bytes[16]) << 8 | Int(bytes[17])
    let more = version == 1 ? 16 : version == 2 ? 36 : 0
    guard 36 + more <= end else { return }
    setup = Self.setup(kind, in: bytes, 36 + more..<end, depth: 2)
  }

  private static func setup(
    _ kind: UInt32, in bytes: Span<UInt8>, _ range: Range<Int>, depth: Int
  ) -> Setup? {
    var place = range.lowerBound
    while place + 8 <= range.upperBound {
      guard let box = MP4Box(in: bytes.extracting(place..<range.upperBound)) else { return nil }
      let length = box.bytes.map { Int(clamping: $0) } ?? range.upperBound
      let end = min(place.saturatingAdd(length), range.upperBound)
      let content = min(place + box.headBytes, end)..<end
      switch (kind, box.kind) {
      case (MP4Box.kind("mp4a"), MP4Box.kind("esds")):
        if let config = aacConfig(bytes.extracting(content)) { return .aac(config) }
      case (MP4Box.kind("alac"), MP4Box.kind("alac")) where end - place >= 36:
        return .alac((place..<end).map { bytes[$0] })
      case (_, MP4Box.kind("wave")) where depth > 0:
        if let found = setup(kind, in: bytes, content, depth: depth - 1) { return found }
      default: break
      }
      place = max(end, place + 8)
    }
    return nil
  }

  /// Reads the AudioSpecificConfig of an ES descriptor; nil where the stream is no AAC.
  private static func aacConfig(_ bytes: Span<UInt8>) -> [UInt8]? {
    // Behind version and flags.
    var reader = Descriptors(place: 4)
    guard reader.enter(3, in: bytes), let flags = reader.byte(2, in: bytes) else { return nil }
    reader.place += 3 + (flags & 0x80 == 0 ? 0 : 2)
    if flags & 0x40 != 0 {
      guard let length = reader.byte(0, in: bytes) else { return nil }
      reader.place += 1 + Int(length)
    }
    if flags & 0x20 != 0 { reader.place += 2 }
    guard reader.enter(4, in: bytes), let type = reader.byte(0, in: bytes) else { return nil }
    // MPEG-4, and the three profiles of MPEG-2 (ISO/IEC 14496-1 table 5).
    guard type == 0x40 || (0x66...0x68).contains(type) else { return nil }
    reader.place += 13
    guard reader.enter(5, in: bytes) else { return nil }
    let end = min(bytes.count, reader.place + reader.length)
    let config = reader.place < end ? (reader.place..<end).map { bytes[$0] } : []
    return (2...256).contains(config.count) ? config : nil
  }

  private struct Descriptors {
    var place: Int
    var length = 0

    /// Goes to the content of the descriptor at this place; false where it has another tag.
    mutating func enter(_ tag: UInt8, in bytes: Span<UInt8>) -> Bool {
      guard byte(0, in: bytes) == tag else { return false }
      place += 1
      length = 0
      // Seven bits a byte, in at most four bytes.
      for _ in 0..<4 {
        guard let byte = byte(0, in: bytes) else { return false }
        place += 1
        length = length << 7 | Int(byte & 0x7F)
        if byte & 0x80 == 0 { return true }
      }
      return false
    }

    func byte(_ offset: Int, in bytes: Span<UInt8>) -> UInt8? {
      place + offset < bytes.count ? bytes[place + offset] : nil
    }
  }
}
