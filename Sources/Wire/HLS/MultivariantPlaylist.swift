/// The playlist of a station's qualities (RFC 8216bis §4.4.6).
public struct MultivariantPlaylist: Hashable, Sendable {
  public struct Variant: Hashable, Sendable {
    /// The most bits a second, at least 1.
    public var bandwidth: Int
    /// Bits a second on average, at least 1.
    public var averageBandwidth: Int
    /// The codec in the spelling of RFC 6381; see `codecs(_:core:)`.
    public var codecs: String
    /// The address of its media playlist, escaped, seen from this list.
    public var url: String

    public init(bandwidth: Int, averageBandwidth: Int, codecs: String, url: String) {
      (self.bandwidth, self.averageBandwidth) = (bandwidth, averageBandwidth)
      (self.codecs, self.url) = (codecs, url)
    }
  }

  /// The first is where players begin.
  public var variants: [Variant]

  public init(variants: [Variant]) { self.variants = variants }

  /// The playlist's text in UTF-8.
  public var text: [UInt8] {
    var text: [UInt8] = []
    text.append("#EXTM3U\n#EXT-X-VERSION:9\n#EXT-X-INDEPENDENT-SEGMENTS\n")
    for variant in variants {
      text.append("#EXT-X-STREAM-INF:BANDWIDTH=")
      text.append(decimal: UInt64(max(1, variant.bandwidth)))
      text.append(",AVERAGE-BANDWIDTH=")
      text.append(decimal: UInt64(max(1, variant.averageBandwidth)))
      text.append(",CODECS=\"")
      text += Playlist.oneLine(variant.codecs).utf8.filter { $0 != UInt8(ascii: "\"") }
      text.append("\"\n")
      text += Playlist.oneLine(variant.url).utf8
      text.append("\n")
    }
    return text
  }

  /// Returns a format's codec for `Variant.codecs`; nil for one that HLS does not have.
  ///
  /// - Parameters:
  ///   - shown: the format as it is heard.
  ///   - core: the format as frames have it.
  public static func codecs(_ shown: ShownFormat, core: AudioFormat) -> String? {
    switch core.codec {
    case .mp3: "mp4a.40.34"
    case .aac where shown.sampleRate == core.sampleRate: "mp4a.40.2"
    // High-Efficiency AAC; the second version makes two channels of one.
    case .aac: shown.channels == core.channels ? "mp4a.40.5" : "mp4a.40.29"
    case .opus: "Opus"
    case .flac: "fLaC"
    case .mp1, .mp2, .vorbis, .speex: nil
    }
  }
}
