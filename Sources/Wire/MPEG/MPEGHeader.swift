/// The 32-bit header of an MPEG audio frame: MPEG-1, MPEG-2 and "MPEG-2.5", layers I to III.
///
/// Sources: ISO/IEC 11172-3 §2.4.1.3 and §2.4.2.3 (MPEG-1), ISO/IEC 13818-3 §2.4 (the low sample
/// rates of MPEG-2). MPEG-2.5 is Fraunhofer's extension to 8–12 kHz: version bits 00, which the
/// standards reserve.
///
/// ```
/// 31        21 20 19 18 17 16 15     12 11 10  9  8  7  6  5  4  3  2  1 0
/// sync (ones)  version layer  no CRC bitrate rate pad pr mode  ext  c  o emphasis
/// ```
///
/// Accepted on purpose: layer II's forbidden pairs of bitrate and mode (every decoder plays them), and layers I and
/// II at MPEG-2.5's rates.
public struct MPEGHeader: Hashable, Sendable {
  public enum Version: UInt8, Sendable {
    /// MPEG-1: 32, 44.1, 48 kHz.
    case v1
    /// MPEG-2: 16, 22.05, 24 kHz.
    case v2
    /// MPEG-2.5: 8, 11.025, 12 kHz.
    case v25
  }

  public var version: Version
  /// The layer, 1...3.
  public var layer: Int
  /// The bitrate in kbit/s; 0 for free format, whose frame headers do not tell their size.
  public var bitrate: Int
  /// The sample rate in Hz.
  public var sampleRate: Int
  /// Whether the frame is one slot longer (4 bytes in layer I, else 1).
  public var isPadded: Bool
  /// Whether 2 bytes of CRC follow the header.
  public var hasCRC: Bool
  /// The channel mode: 0 stereo, 1 joint stereo, 2 two independent channels, 3 mono.
  public var channelMode: Int

  /// The header's length in bytes.
  public static let bytes = 4
  /// The most bytes before its frame at which main data of layer III may begin (9 bits).
  public static let reservoirMax = 511
  /// The same in MPEG-2 and 2.5 (8 bits).
  static let reservoirMaxV2 = 255

  /// Reads a header, most significant byte first.
  ///
  /// Nil where `word` cannot be a header: no sync word, or a reserved version, layer, bitrate, sample rate or emphasis.
  public init?(_ word: UInt32) {
    guard word >> 21 == 0x7FF else { return nil }
    switch (word >> 19) & 3 {
    case 0: version = .v25
    case 2: version = .v2
    case 3: version = .v1
    default: return nil
    }
    // 11 is layer I, 10 II, 01 III; 00 is reserved here and is what an ADTS header has.
    layer = 4 - Int((word >> 17) & 3)
    let bitrateIndex = Int((word >> 12) & 15)
    let rateIndex = Int((word >> 10) & 3)
    guard layer < 4, bitrateIndex < 15, rateIndex < 3, word & 3 != 2 else { return nil }
    hasCRC = word & 0x1_0000 == 0
    bitrate = Self.bitrate(version, layer: layer, index: bitrateIndex)
    sampleRate = Self.sampleRates[rateIndex] >> Int(version.rawValue)
    isPadded = word & 0x200 != 0
    channelMode = Int((word >> 6) & 3)
  }

  /// Reads the header at `offset`; also nil where fewer than 4 bytes are left.
  public init?(in bytes: Span<UInt8>, at offset: Int = 0) {
    guard offset >= 0, bytes.count - offset >= Self.bytes else { return nil }
    self.init(bytes.bigEndianWord(at: offset))
  }

  public var channels: Int { channelMode == 3 ? 1 : 2 }

  public var codec: Codec {
    switch layer {
    case 1: .mp1
    case 2: .mp2
    default: .mp3
    }
  }

  public var format: AudioFormat {
    AudioFormat(codec: codec, sampleRate: sampleRate, channels: channels)
  }

  /// Samples per channel in one frame.
  public var samples: Int {
    switch layer {
    case 1: 384
    case 2: 1152
    default: version == .v1 ? 1152 : 576
    }
  }

  /// The unit of padding in bytes.
  public var slotBytes: Int { layer == 1 ? 4 : 1 }

  /// The frame's length in bytes, header included; `nil` for free format.
  public var frameBytes: Int? {
    bitrate == 0 ? nil : frameBytes(bitrate: bitrate) + (isPadded ? slotBytes : 0)
  }

  /// The length of an unpadded frame with this header at `bitrate` kbit/s.
  public func frameBytes(bitrate: Int) -> Int {
    samples / 8 / slotBytes * bitrate * 1000 / sampleRate * slotBytes
  }

  /// Layer III's side info between header (and CRC) and main data, in bytes; 0 in other layers.
  public var sideInfoBytes: Int {
    guard layer == 3 else { return 0 }
    return version == .v1 ? (channels == 1 ? 17 : 32) : (channels == 1 ? 9 : 17)
  }

  /// The offset in the frame at which main data begins: after header, CRC and side info.
  public var mainDataOffset: Int { Self.bytes + (hasCRC ? 2 : 0) + sideInfoBytes }
}

extension MPEGHeader {
  // The sample rates of MPEG-1 in Hz; MPEG-2 has halves of them, MPEG-2.5 quarters.
  static let sampleRates: InlineArray<3, Int> = [44_100, 48_000, 32_000]

  // The bitrates in kbit/s / 8, index 0 (free format) first; every bitrate of the standards is a multiple of 8.
  static let bitrates: InlineArray<75, UInt8> = [
    0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56,  // MPEG-1 layer I
    0, 4, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48,  // MPEG-1 layer II
    0, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40,  // MPEG-1 layer III
    0, 4, 6, 7, 8, 10, 12, 14, 16, 18, 20, 22, 24, 28, 32,  // MPEG-2 layer I
    0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20,  // MPEG-2 layers II and III
  ]

  /// Returns the bitrate in kbit/s of a bitrate index in 0...14; 0 is free format.
  static func bitrate(_ version: Version, layer: Int, index: Int) -> Int {
    let row = version == .v1 ? layer - 1 : (layer == 1 ? 3 : 4)
    return Int(bitrates[row * 15 + index]) * 8
  }
}

extension Span<UInt8> {
  /// The four bytes from `offset`, most significant first.
  func bigEndianWord(at offset: Int) -> UInt32 {
    UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16
      | UInt32(self[offset + 2]) << 8 | UInt32(self[offset + 3])
  }

  /// The four bytes from `offset`, least significant first.
  func littleEndianWord(at offset: Int) -> UInt32 { bigEndianWord(at: offset).byteSwapped }
}
