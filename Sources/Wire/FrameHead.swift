/// What the scanner needs to know of a frame's header, MPEG or ADTS.
struct FrameHead {
  /// The frame's length in bytes; `nil` for MPEG free format, where only the distance to the next
  /// frame tells it.
  var bytes: Int?
  /// How many of the frame's bytes are padding: free-format frames differ by them.
  var padding: Int
  /// Equal for the frames of one run: the header's bits that do not change from frame to frame.
  var key: UInt32
  /// Samples per channel.
  var samples: Int
  var format: AudioFormat
  /// kbit/s; 0 for free format.
  var bitrate: Int
  /// The MPEG header; `nil` for ADTS.
  var mpeg: MPEGHeader?

  /// What stands somewhere: a header, none, or too little to tell.
  enum Reading { case none, needMore, head(FrameHead) }

  // MPEG: sync, version, layer (31...17) and sample rate (11...10). Bit 0 (of emphasis, not part of
  // the key) marks free format: such frames cannot be told from the rest by their own length.
  private static let mpegKey: UInt32 = 0xFFFE_0C00
  // ADTS: sync, ID, layer (31...17), profile and rate (15...10), channels (8...6). The layer bits
  // keep its keys apart from MPEG's.
  private static let adtsKey: UInt32 = 0xFFFE_FDC0

  /// Reads what stands at `offset`. Which codec it is, the layer bits tell: 00 is ADTS.
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
