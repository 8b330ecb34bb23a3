/// How samples are encoded to MP3, and what they are.
public struct PCMEncoding: Hashable, Sendable {
  /// How two channels share the bits of a frame.
  public enum Mode: String, CaseIterable, Hashable, Sendable {
    /// Each frame has what is cheaper: left and right, or their sum and difference.
    case joint
    /// Left and right in all frames.
    case stereo
  }

  /// kbit/s, constant.
  public var bitrate = 192
  public var mode = Mode.joint
  /// Hz of the MP3; nil for the samples' own rate, or the next one that MP3 has.
  public var sampleRate: Int?
  /// Whether both channels are mixed to one.
  public var isMono = false
  /// Whether one channel is made two; nothing beside `isMono`.
  public var isStereo = false
  /// LUFS that the sound is brought to; nil to leave it as it is.
  public var loudness: Double?
  /// Nil where the samples come as WAV, whose head says what they are, or from a decoder.
  public var raw: SampleFormat.Encoding?
  /// Hz of raw samples.
  public var rawRate = 44_100
  /// Channels of raw samples, 1 or 2.
  public var rawChannels = 2

  public init() {}
}
