/// The scanner's view of a frame header, MPEG or ADTS.
struct FrameHead {
  /// The frame's length in bytes. Nil for MPEG free format, where only the distance to the next frame tells the length.
  var bytes: Int?
  /// How many of the frame's bytes are padding; free-format frames differ in length by their padding.
  var padding: Int
  /// The header bits that do not change from frame to frame; equal for all frames of a run.
  var key: UInt32
  /// Samples per channel.
  var samples: Int
  var format: AudioFormat
  /// The bitrate in kbit/s; 0 for free format.
  var bitrate: Int
  /// The MPEG header; nil for ADTS.
  var mpeg: MPEGHeader?

  /// The result of looking for a header: none, too few bytes, or a header.
  enum Reading { case none, needMore, head(FrameHead) }

  // MPEG: sync, version, layer (31...17) and sample rate (11...10). Bit 0 belongs to emphasis, which is not part of the
  // key. There it marks free format, since a free-format frame's length does not set it apart from the others.
  private static let mpegKey: UInt32 = 0xFFFE_0C00
  // ADTS: sync, ID, layer (31...17), profile and rate (15...10), channels (8...6). The layer bits keep ADTS keys apart
  // from MPEG keys.
  private static let adtsKey: UInt32 = 0xFFFE_FDC0

  /// Reads the header at `offset`. The layer bits tell the codec: 00 is ADTS.
  static func read(in bytes: Span<UInt8>, at offset: Int) -> Reading {
    let left = bytes.count - offset
    guard left > 0 else { return .needMore }
    guard bytes[offset] == 0xFF else { return .none }
    guard left >= MPEGHeader.bytes else { return .needMore }
    let word = bytes.bigEndianWord(at: offset)
    if let header = MPEGHeader(word) { return .head(FrameHead(header, word)) }
    guard word & 0xFFF6_0000 == 0xFFF0_0000 else { return .none }
    guard left >= ADTSHeader.bytes else { return .needMore }
    guard let header = ADTSHeader(in: bytes, at: offset) else { return .none }
    return .head(FrameHead(header, word))
  }

  private init(_ header: MPEGHeader, _ word: UInt32) {
    bytes = header.frameBytes
    padding = header.isPadded ? header.slotBytes : 0
    key = word & Self.mpegKey | (header.bitrate == 0 ? 1 : 0)
    samples = header.samples
    format = header.format
    bitrate = header.bitrate
    mpeg = header
  }

  private init(_ header: ADTSHeader, _ word: UInt32) {
    bytes = header.frameBytes
    padding = 0
    key = word & Self.adtsKey
    samples = header.samples
    format = header.format
    bitrate = header.bitrate
    mpeg = nil
  }
}
