/// How samples that an upstream delivers are encoded to MP3, and what they are.
public struct PCMEncoding: Hashable, Sendable {
  /// kbit/s, constant.
  public var bitrate = 192
  /// Hz of the MP3; nil for the samples' own rate, or the next one that MP3 has.
  public var sampleRate: Int?
  /// Whether both channels are mixed to one.
  public var isMono = false
  /// Nil where the samples come as WAV, whose head says what they are.
  public var raw: SampleFormat.Encoding?
  /// Hz of raw samples.
  public var rawRate = 44_100
  /// Channels of raw samples, 1 or 2.
  public var rawChannels = 2

  public init() {}
}
