/// A format as players and monitors are told it.
///
/// High-Efficiency AAC in ADTS announces its core alone: half the sample rate that is heard and, with parametric stereo,
/// one channel of two (implicit signalling, ISO/IEC 14496-3 §1.6.5). What would tell lies behind the Huffman-coded
/// data, so it is taken from what the upstream says of itself.
public struct ShownFormat: Hashable, Sendable {
  /// What an upstream says of its audio; nil for what it does not.
  public struct Announcement: Hashable, Sendable {
    /// Content-Type without parameters, lower case.
    public var mediaType: String?
    /// Hz.
    public var sampleRate: Int?
    public var channels: Int?

    public init(mediaType: String? = nil, sampleRate: Int? = nil, channels: Int? = nil) {
      self.mediaType = mediaType
      self.sampleRate = sampleRate
      self.channels = channels
    }
  }

  public var codec: Codec
  public var mediaType: String
  /// Hz, as heard.
  public var sampleRate: Int
  /// 0 where it is not known.
  public var channels: Int

  public init(_ format: AudioFormat, announced: Announcement) {
    codec = format.codec
    mediaType = codec.mediaType
    sampleRate = format.sampleRate
    channels = format.channels
    guard codec == .aac else { return }
    // Encoders double up to a core of 24 kHz; above it `audio/aacp` is but another name for AAC.
    let isNamed = announced.mediaType == Self.highEfficiency
    let isDoubled = announced.sampleRate == 2 * format.sampleRate
    let isHighEfficiency = isDoubled || isNamed && format.sampleRate <= 24_000
    if isNamed || isHighEfficiency { mediaType = Self.highEfficiency }
    guard isHighEfficiency else { return }
    sampleRate *= 2
    if channels == 1, announced.channels == 2 { channels = 2 }
  }

  private static let highEfficiency = "audio/aacp"
}
