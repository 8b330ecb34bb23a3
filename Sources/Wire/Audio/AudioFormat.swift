/// The codecs a station can have. The raw value is what the log's index stores: never renumber.
public enum Codec: UInt8, Sendable, CaseIterable {
  case mp1 = 1
  case mp2 = 2
  case mp3 = 3
  /// AAC in ADTS frames: AAC-LC, HE-AAC v1 and v2.
  case aac = 4

  /// The name shown to people and programs.
  public var name: String {
    switch self {
    case .mp1: "mp1"
    case .mp2: "mp2"
    case .mp3: "mp3"
    case .aac: "aac"
    }
  }

  /// The Content-Type that players know.
  public var mediaType: String {
    switch self {
    case .mp1, .mp2, .mp3: "audio/mpeg"
    case .aac: "audio/aac"
    }
  }

  /// The ending of a file of this codec, without the dot.
  public var fileExtension: String { name }
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
