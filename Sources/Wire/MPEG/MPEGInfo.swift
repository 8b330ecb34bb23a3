/// What the info frame in front of a layer III file says of it: frames, and samples at the ends that are not heard.
///
/// Sources: the LAME tag specification (gabriel.mp3-tech.org); "MPEG Audio Frame Header" by Konrad Windszus on VBRI.
///
/// ```
/// Xing, Info   4 name  4 flags  [4 frames]  [4 bytes]  [100 table]  [4 quality]
/// … by LAME    9 encoder  12 other things  3: 12 bits of delay, 12 of padding
/// VBRI         4 name  2 version  2 delay  2 quality  4 bytes  4 frames
/// ```
public struct MPEGInfo: Hashable, Sendable {
  /// Frames behind this one.
  public var frames: Int?
  /// Bytes of the file without its tags, this frame included.
  public var bytes: Int?
  /// Samples of a channel that the encoder put before the first, 0...4095. A decoder adds `decoderDelay` more.
  public var delay: Int?
  /// Samples of a channel that the encoder put behind the last, 0...4095.
  public var padding: Int?

  /// Samples by which any decoder of layer III is later: the filter bank's 528, and one.
  public static let decoderDelay = 529

  /// Samples of a channel at the beginning of what is decoded that are not heard.
  public var front: Int? { delay.map { $0 + Self.decoderDelay } }
  /// Samples of a channel at the end of what is decoded that are not heard.
  public var back: Int? { padding.map { max(0, $0 - Self.decoderDelay) } }

  /// Samples that the encoder added; nil where the table does not say, or there are none.
  public var gap: SampleGap? {
    guard let delay, let padding, delay > 0 || padding > 0 else { return nil }
    return SampleGap(delay: delay, padding: padding)
  }

  /// Reads one whole frame. Nil where it is no info frame.
  public init?(in frame: Span<UInt8>) {
    guard let header = MPEGHeader(in: frame),
      let table = MPEGInfoFrame.table(in: frame, 0..<frame.count, header: header)
    else { return nil }
    if frame.agrees(with: "VBRI", at: table) {
      bytes = Self.number(in: frame, at: table + 10, bytes: 4)
      frames = Self.number(in: frame, at: table + 14, bytes: 4)
    } else {
      readXing(frame, at: table)
    }
  }

  private mutating func readXing(_ frame: Span<UInt8>, at table: Int) {
    guard let flags = Self.number(in: frame, at: table + 4, bytes: 4) else { return }
    var place = table + 8
    if flags & 1 != 0 {
      frames = Self.number(in: frame, at: place, bytes: 4)
      place += 4
    }
    if flags & 2 != 0 {
      bytes = Self.number(in: frame, at: place, bytes: 4)
      place += 4
    }
    if flags & 4 != 0 { place += 100 }
    if flags & 8 != 0 { place += 4 }
    guard let trims = Self.number(in: frame, at: place + 21, bytes: 3) else { return }
    // Other encoders write nothing there, or other things.
    guard
      frame.agrees(with: "LAME", at: place) || frame.agrees(with: "Lavc", at: place)
        || frame.agrees(with: "Lavf", at: place)
    else { return }
    (delay, padding) = (trims >> 12, trims & 0xFFF)
  }

  /// Reads a number, most significant byte first; nil beyond the frame.
  private static func number(in frame: Span<UInt8>, at place: Int, bytes: Int) -> Int? {
    guard place + bytes <= frame.count else { return nil }
    return (place..<(place + bytes)).reduce(0) { $0 << 8 | Int(frame[$1]) }
  }
}
