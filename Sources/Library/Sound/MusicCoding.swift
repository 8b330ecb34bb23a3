import Audio
import Media
import Wire

/// What a file's audio is to a decoder.
public enum MusicCoding: String, Hashable, Sendable, CaseIterable {
  /// Frames of MPEG audio or ADTS, or Ogg: packets that a log can have as they are.
  case packets
  /// Frames of MPEG audio in free format, which many players do not play.
  case free
  /// FLAC without Ogg.
  case flac
  /// AAC in MP4.
  case aac
  /// ALAC in MP4.
  case alac
  /// Samples in WAV or AIFF.
  case pcm

  /// The codec that a format names. ALAC and samples count as FLAC: a log has neither.
  func codec(of summary: MediaSummary) -> Codec? {
    switch self {
    case .packets, .free: summary.codec
    case .flac, .alac, .pcm: .flac
    case .aac: .aac
    }
  }

  /// The coding of a file; nil where it is none of these.
  init?(_ layout: MediaLayout, _ summary: MediaSummary) {
    switch layout.container {
    case .frames where summary.isFree: self = .free
    case .frames, .ogg: self = .packets
    case .flac: self = .flac
    case .wave, .aiff: self = .pcm
    case .mp4 where summary.entry == MP4Box.kind("mp4a"): self = .aac
    case .mp4 where summary.entry == MP4Box.kind("alac"): self = .alac
    case .mp4: return nil
    }
  }

  /// The name shown to people and programs.
  public func name(of codec: Codec) -> String {
    switch self {
    case .packets, .free, .flac, .aac: codec.name
    case .alac, .pcm: rawValue
    }
  }

  /// Why no decoder of this machine reads files of a codec, in words that follow a name; nil where one does.
  public func refusal(of codec: Codec) -> String? {
    switch self {
    case .packets where codec.isMPEGAudio: nil
    case .free: nil
    case .packets, .flac, .aac: AvDecoder.refusal(of: codec).map(Self.words)
    case .alac: FileDecoder.refusal(of: "alac").map(Self.words)
    case .pcm: nil
    }
  }

  private static func words(_ error: AudioError) -> String {
    "cannot be decoded: \(error.reason). \(error.advice)"
  }
}
