/// The header of an AAC frame in an Audio Data Transport Stream.
///
/// Sources: ISO/IEC 13818-7 §6.2 (MPEG-2 AAC), ISO/IEC 14496-3 §1.A.3.2 (MPEG-4). The header describes the core only:
/// HE-AAC's doubled rate (SBR) and v2's second channel (PS) are signalled inside the audio. So the header of a 48 kHz
/// HE-AAC v2 stereo stream says "AAC-LC, 24 kHz, 1 channel". A frame lasts the same time in both readings.
///
/// ```
/// bits  12 sync  1 ID  2 layer (00)  1 no CRC | 2 profile  4 rate  1 private  3 channels
///        4 flags | 13 frame length  11 fullness  2 raw data blocks - 1
/// ```
public struct ADTSHeader: Hashable, Sendable {
  /// Whether the ID bit says MPEG-2 AAC (13818-7), not MPEG-4.
  public var isMPEG2: Bool
  /// The profile: 0 Main, 1 LC (and the core of HE-AAC), 2 SSR, 3 LTP (MPEG-4 only).
  public var profile: Int
  /// The core's sample rate in Hz, 7,350...96,000.
  public var sampleRate: Int
  /// The channel configuration, 0...7; 0 leaves it to a program config element in the audio.
  public var channelConfiguration: Int
  /// Whether CRC words guard the frame.
  public var hasCRC: Bool
  /// The frame's length in bytes, header included; at most 8,191 (13 bits).
  public var frameBytes: Int
  /// Raw data blocks in the frame, 1...4, of 1,024 samples each.
  public var blocks: Int

  /// The header's length in bytes, without CRC.
  public static let bytes = 7

  /// Reads the header at `offset`.
  ///
  /// Nil where the bytes cannot be a header: fewer than 7 bytes, no sync word, or a reserved profile or sample rate.
  /// Nil also for a length without room for a raw data block.
  public init?(in bytes: Span<UInt8>, at offset: Int = 0) {
    guard offset >= 0, bytes.count - offset >= Self.bytes else { return nil }
    let word = bytes.bigEndianWord(at: offset)
    let rateIndex = Int((word >> 10) & 15)
    guard word & 0xFFF6_0000 == 0xFFF0_0000, rateIndex < Self.sampleRates.count else { return nil }
    isMPEG2 = word & 0x8_0000 != 0
    profile = Int((word >> 14) & 3)
    sampleRate = Self.sampleRates[rateIndex]
    channelConfiguration = Int((word >> 6) & 7)
    hasCRC = word & 0x1_0000 == 0
    frameBytes =
      Int(word & 3) << 11 | Int(bytes[offset + 4]) << 3 | Int(bytes[offset + 5]) >> 5
    blocks = Int(bytes[offset + 6] & 3) + 1
    // 13818-7 reserves profile 3. The smallest raw data block is the 3 bits of its end mark.
    guard !(isMPEG2 && profile == 3), frameBytes > Self.bytes + (hasCRC ? 2 : 0) else { return nil }
  }

  /// Samples per channel of the core in the frame.
  public var samples: Int { 1024 * blocks }

  /// The number of channels of the core; 0 where the header leaves it to the audio.
  public var channels: Int { channelConfiguration == 7 ? 8 : channelConfiguration }

  public var format: AudioFormat {
    AudioFormat(codec: .aac, sampleRate: sampleRate, channels: channels)
  }

  /// The rate of this frame in kbit/s, rounded.
  public var bitrate: Int { (frameBytes * 8 * sampleRate / samples + 500) / 1000 }

  // Index 13 and 14 are reserved, 15 (an explicit rate) is not allowed in ADTS.
  static let sampleRates: InlineArray<13, Int> = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
    7_350,
  ]
}
