import Audio
import Wire

/// The MP3 that is made of tracks which do not fit a programme as they are.
public struct MadeFormat: Hashable, Sendable {
  /// Hz, one of `LameEncoder.sampleRates`.
  public let sampleRate: Int
  /// 1 or 2.
  public let channels: Int
  /// kbit/s, one of `LameEncoder.bitrates`.
  public let bitrate: Int

  /// - Returns: nil where MP3 has no such format.
  public init?(sampleRate: Int, channels: Int, bitrate: Int) {
    guard LameEncoder.bitrates(at: sampleRate)?.contains(bitrate) == true,
      (1...2).contains(channels)
    else { return nil }
    (self.sampleRate, self.channels, self.bitrate) = (sampleRate, channels, bitrate)
  }

  /// What is made for packets of a format, where nobody says a bit rate: 192 kbit/s of stereo at 44.1 kHz.
  ///
  /// - Parameter bitrate: kbit/s; the next one that MP3 has at the rate is taken.
  /// - Returns: nil for packets that are no MP3.
  public init?(for packets: AudioFormat, bitrate: Int? = nil) {
    guard packets.codec == .mp3, let possible = LameEncoder.bitrates(at: packets.sampleRate),
      let largest = possible.last
    else { return nil }
    let isMono = packets.channels == 1
    // Below 64 kbit/s an info frame has no room to say what was added, and joins are exact to a frame only.
    let standard = packets.sampleRate >= 32_000 ? (isMono ? 96 : 192) : isMono ? 64 : 96
    let wanted = bitrate ?? standard
    self.init(
      sampleRate: packets.sampleRate, channels: packets.channels,
      bitrate: possible.first { $0 >= wanted } ?? largest)
  }

  public var packets: AudioFormat {
    AudioFormat(codec: .mp3, sampleRate: sampleRate, channels: channels)
  }
}
