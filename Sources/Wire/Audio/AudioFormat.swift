/// The codecs a station can have. The raw value is what the log's index stores: never renumber.
public enum Codec: UInt8, Sendable, CaseIterable {
  case mp1 = 1
  case mp2 = 2
  case mp3 = 3
  /// AAC in ADTS frames: AAC-LC, HE-AAC v1 and v2.
  case aac = 4
  /// The following are in Ogg.
  case opus = 5
  case vorbis = 6
  case flac = 7
  case speex = 8

  /// Whether its packets are Ogg pages, behind headers that every newcomer must get.
  public var isOgg: Bool { rawValue >= Codec.opus.rawValue }

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
    // RFC 5334: for audio of any codec.
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

  /// The endings under which a path means this codec: people write more than files are named.
  public var pathEndings: [String] {
    switch self {
    case .mp1, .mp2, .mp3: [name]
    case .aac: ["aac", "aacp"]
    case .opus, .vorbis, .speex: [fileExtension, "ogg", "oga"]
    case .flac: ["flac", "ogg", "oga"]
    }
  }
}

/// What a decoder must be set up for. Two packets of one format can follow each other in one stream.
public struct AudioFormat: Hashable, Sendable {
  public var codec: Codec
  /// Hz, as the frame headers say (HE-AAC: of the core).
  public var sampleRate: Int
  /// As the frame headers say; 0 where ADTS leaves it to the stream.
  public var channels: Int

  public init(codec: Codec, sampleRate: Int, channels: Int) {
    self.codec = codec
    self.sampleRate = sampleRate
    self.channels = channels
  }
}
