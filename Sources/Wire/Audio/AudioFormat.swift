/// The codecs that a station can have. The log's index stores the raw value: never renumber.
public enum Codec: UInt8, Sendable, CaseIterable {
  case mp1 = 1
  case mp2 = 2
  case mp3 = 3
  /// AAC in ADTS frames: AAC-LC, HE-AAC v1 and v2.
  case aac = 4
  /// Opus and the codecs after it come in Ogg.
  case opus = 5
  case vorbis = 6
  case flac = 7
  case speex = 8

  /// Whether the codec's packets are Ogg pages, which follow headers that every newcomer must get.
  public var isOgg: Bool { rawValue >= Codec.opus.rawValue }

  /// Whether the codec's packets are frames of MPEG audio, layers I to III.
  public var isMPEGAudio: Bool { rawValue <= Codec.mp3.rawValue }

  /// The name shown to people and programs.
  public var name: String {
    switch self {
    case .mp1: "mp1"
    case .mp2: "mp2"
    case .mp3: "mp3"
    case .aac: "aac"
    case .opus: "opus"
    case .vorbis: "vorbis"
    case .flac: "flac"
    case .speex: "speex"
    }
  }

  /// The Content-Type that players know.
  public var mediaType: String {
    switch self {
    case .mp1, .mp2, .mp3: "audio/mpeg"
    case .aac: "audio/aac"
    // RFC 5334: the type for audio of any codec.
    case .opus, .vorbis, .flac, .speex: "audio/ogg"
    }
  }

  /// The ending of a file of this codec, without the dot (RFC 5334 §10 for Ogg).
  public var fileExtension: String {
    switch self {
    case .mp1, .mp2, .mp3, .aac, .opus: name
    case .vorbis: "ogg"
    case .flac: "oga"
    case .speex: "spx"
    }
  }

  /// The path endings that mean this codec; people write more endings than files are named with.
  public var pathEndings: [String] {
    switch self {
    case .mp1, .mp2, .mp3: [name]
    case .aac: ["aac", "aacp"]
    case .opus, .vorbis, .speex: [fileExtension, "ogg", "oga"]
    case .flac: ["flac", "ogg", "oga"]
    }
  }
}

/// The setup of a decoder. Two packets of one format can follow each other in one stream.
public struct AudioFormat: Hashable, Sendable {
  public var codec: Codec
  /// The sample rate in Hz that the frame headers say; for HE-AAC the rate of the core.
  public var sampleRate: Int
  /// The number of channels that the frame headers say; 0 where ADTS leaves it to the stream.
  public var channels: Int

  public init(codec: Codec, sampleRate: Int, channels: Int) {
    self.codec = codec
    self.sampleRate = sampleRate
    self.channels = channels
  }
}
