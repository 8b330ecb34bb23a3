/// A format as players and monitors are told it.
///
/// High-Efficiency AAC in ADTS announces its core alone (implicit signalling, ISO/IEC 14496-3 §1.6.5). The core has
/// half the sample rate that is heard and, with parametric stereo, one channel of two. The real figures lie behind the
/// Huffman-coded data, so they come from the upstream's announcement.
public struct ShownFormat: Hashable, Sendable {
  /// The upstream's announcement of its audio; a value that it does not name is nil.
  public struct Announcement: Hashable, Sendable {
    /// The Content-Type without parameters, in lower case.
    public var mediaType: String?
    /// The sample rate in Hz.
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
  /// The sample rate in Hz, as heard.
  public var sampleRate: Int
  /// The number of channels; 0 where it is not known.
  public var channels: Int
  /// The type by the name that the upstream gives it, which is an older one for Ogg (RFC 5334 §9).
  public var announcedType: String

  public init(_ format: AudioFormat, announced: Announcement) {
    codec = format.codec
    mediaType = codec.mediaType
    sampleRate = format.sampleRate
    channels = format.channels
    announcedType = mediaType
    if codec.isOgg, announced.mediaType == Self.oldOgg { announcedType = Self.oldOgg }
    guard codec == .aac else { return }
    // Encoders double the rate for cores of up to 24 kHz; above, `audio/aacp` is only another name for AAC.
    let isNamed = announced.mediaType == Self.highEfficiency
    let isDoubled = announced.sampleRate == 2 * format.sampleRate
    let isHighEfficiency = isDoubled || isNamed && format.sampleRate <= 24_000
    if isNamed || isHighEfficiency {
      (mediaType, announcedType) = (Self.highEfficiency, Self.highEfficiency)
    }
    guard isHighEfficiency else { return }
    sampleRate *= 2
    if channels == 1, announced.channels == 2 { channels = 2 }
  }

  private static let highEfficiency = "audio/aacp"
  private static let oldOgg = "application/ogg"
}
