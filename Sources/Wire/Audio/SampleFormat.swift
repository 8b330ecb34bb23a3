/// How samples are written down: interleaved, without a container or behind a WAV head.
public struct SampleFormat: Hashable, Sendable {
  public enum Encoding: String, Sendable, CaseIterable {
    /// 16-bit integers, little-endian.
    case s16le
    /// 16-bit integers, big-endian, as `audio/L16` has them (RFC 2586).
    case s16be
    /// IEEE 754 of 32 bits, little-endian; full scale is 1.
    case f32le

    public var bytes: Int { self == .f32le ? 4 : 2 }
  }

  /// Rates that samples are converted from and to, in Hz.
  public static let rates = 8_000...192_000

  /// Hz, one of `rates`.
  public var sampleRate: Int
  /// 1 or 2.
  public var channels: Int
  public var encoding: Encoding

  public init(sampleRate: Int, channels: Int, encoding: Encoding) {
    (self.sampleRate, self.channels, self.encoding) = (sampleRate, channels, encoding)
  }

  /// Bytes of one sample of each channel.
  public var frameBytes: Int { channels * encoding.bytes }

  /// The media type of samples without a container. RFC 2586 knows big-endian ones only; of others, the byte order is
  /// told as speech services do.
  public var mediaType: String {
    let known = "audio/L16;rate=\(sampleRate);channels=\(channels)"
    return switch encoding {
    case .s16be: known
    case .s16le: known + ";endianness=little-endian"
    case .f32le: "application/octet-stream"
    }
  }

  /// The head of a WAV file that has no end: its lengths are the greatest there are, as ffmpeg writes them to a pipe.
  public func endlessWAVHead() -> [UInt8] {
    func number(_ value: Int, _ bytes: Int) -> [UInt8] {
      (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let isFloat = encoding == .f32le
    return Array("RIFF".utf8) + number(0xFFFF_FFFF, 4) + Array("WAVEfmt ".utf8) + number(16, 4)
      + number(isFloat ? 3 : 1, 2) + number(channels, 2) + number(sampleRate, 4)
      + number(sampleRate &* frameBytes, 4) + number(frameBytes, 2)
      + number(encoding.bytes * 8, 2) + Array("data".utf8) + number(0xFFFF_FFFF, 4)
  }
}
