/// The head of a box in an MP4 file (ISO/IEC 14496-12 §4.2).
public struct MP4Box: Hashable, Sendable {
  /// Four characters, such as moov.
  public var kind: UInt32
  /// The head's own length: 8, or 16 with a length of 64 bits.
  public var headBytes: Int
  /// The whole box's length; nil: to the end of the file.
  public var bytes: UInt64?

  /// The number of bytes that always suffices for a head.
  public static let headBytesMax = 16

  /// Reads a head; nil where bytes are missing or the length is shorter than the head.
  public init?(in bytes: Span<UInt8>) {
    guard bytes.count >= 8 else { return nil }
    let size = bytes.bigEndianWord(at: 0)
    kind = bytes.bigEndianWord(at: 4)
    headBytes = 8
    switch size {
    case 0: self.bytes = nil
    case 1:
      guard bytes.count >= 16 else { return nil }
      headBytes = 16
      let large = UInt64(bytes.bigEndianWord(at: 8)) << 32 | UInt64(bytes.bigEndianWord(at: 12))
      guard large >= 16 else { return nil }
      self.bytes = large
    default:
      guard size >= 8 else { return nil }
      self.bytes = UInt64(size)
    }
  }

  /// Returns the number of a kind's four characters.
  public static func kind(_ name: StaticString) -> UInt32 {
    precondition(name.utf8CodeUnitCount == 4, "a kind has four characters")
    return name.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
  }
}

/// The length of one track, from its media header (mdhd, ISO/IEC 14496-12 §8.4.2).
public struct MP4MediaHeader: Hashable, Sendable {
  /// Units a second; the sample rate, of audio.
  public var timescale: Int
  public var duration: Int64

  /// Reads the box's content.
  public init?(in bytes: Span<UInt8>) {
    guard bytes.count >= 20 else { return nil }
    let isLong = bytes[0] == 1
    if isLong, bytes.count < 32 { return nil }
    let scale = bytes.bigEndianWord(at: isLong ? 20 : 12)
    let length =
      isLong
      ? UInt64(bytes.bigEndianWord(at: 24)) << 32 | UInt64(bytes.bigEndianWord(at: 28))
      : UInt64(bytes.bigEndianWord(at: 16))
    guard let timescale = Int(exactly: scale), Bounds.sampleRates.contains(timescale),
      let duration = Int64(exactly: length), duration <= Bounds.samples
    else { return nil }
    (self.timescale, self.duration) = (timescale, duration)
  }
}

/// The first entry of a track's edit list that plays something (elst, ISO/IEC 14496-12 §8.6.6).
public struct MP4Edit: Hashable, Sendable {
  /// Where it begins in the track, in its units: what comes before is not heard.
  public var start: Int64
  /// Its length in the movie's units; 0 where the file does not say.
  public var length: Int64

  /// Reads the box's content; nil without such an entry.
  public init?(in bytes: Span<UInt8>) {
    guard bytes.count >= 8 else { return nil }
    let isLong = bytes[0] == 1
    let entryBytes = isLong ? 20 : 12
    // An empty edit in front delays the track, and has no place in it.
    for entry in 0..<min(Int(bytes.bigEndianWord(at: 4)), 4) {
      let place = 8 + entry * entryBytes
      guard place + entryBytes <= bytes.count else { return nil }
      let length =
        isLong
        ? Int64(
          bitPattern: UInt64(bytes.bigEndianWord(at: place)) << 32
            | UInt64(bytes.bigEndianWord(at: place + 4))) : Int64(bytes.bigEndianWord(at: place))
      let start =
        isLong
        ? Int64(
          bitPattern: UInt64(bytes.bigEndianWord(at: place + 8)) << 32
            | UInt64(bytes.bigEndianWord(at: place + 12)))
        : Int64(Int32(bitPattern: bytes.bigEndianWord(at: place + 4)))
      guard start >= 0 else { continue }
      guard (0...Bounds.samples).contains(start), (0...Bounds.samples).contains(length) else {
        return nil
      }
      (self.start, self.length) = (start, length)
      return
    }
    return nil
  }
}
