/// How loud a track is, as its tags say.
public struct TrackGain: Hashable, Sendable {
  /// The gain in dB that brings the track to -18 LUFS, ReplayGain's loudness.
  public var track: Double?
  /// The same for the whole album.
  public var album: Double?
  /// The highest sample; 1 is full scale, and lossy audio goes beyond.
  public var trackPeak: Double?
  public var albumPeak: Double?

  public init(
    track: Double? = nil, album: Double? = nil, trackPeak: Double? = nil, albumPeak: Double? = nil
  ) {
    (self.track, self.album, self.trackPeak, self.albumPeak) = (track, album, trackPeak, albumPeak)
  }

  /// A gain's range in dB.
  public static let gains = -70.0...70
  public static let peaks = 0.0...100
}

/// Reads gains and peaks as tags have them.
///
/// Sources: wiki.hydrogenaud.io "ReplayGain 2.0 specification"; RFC 7845 §5.2.1 for R128 tags.
public enum ReplayGainText {
  /// Reads "-7.03 dB"; programs in some languages write a comma, and some no unit.
  public static func decibels(_ text: String) -> Double? {
    var bytes = ArraySlice(trimmed(text))
    if bytes.count >= 2, bytes.suffix(2).map({ $0 | 0x20 }) == Array("db".utf8) {
      bytes = ArraySlice(trimmed(String(decoding: bytes.dropLast(2), as: UTF8.self)))
    }
    return number(bytes, in: TrackGain.gains)
  }

  /// Reads a peak such as "1.034261".
  public static func peak(_ text: String) -> Double? {
    number(trimmed(text)[...], in: TrackGain.peaks)
  }

  /// Reads R128_TRACK_GAIN: 1/256 dB towards -23 LUFS, returned towards -18.
  public static func r128(_ text: String) -> Double? {
    let digits = String(decoding: trimmed(text), as: UTF8.self)
    guard let number = Int(digits, in: -32_768...32_767) else { return nil }
    return Double(number) / 256 + 5
  }

  private static func trimmed(_ text: String) -> [UInt8] {
    // Of a longer text nothing is a number.
    let bytes = Array(text.utf8.prefix(64)).map { $0 == 0x09 ? 0x20 : $0 }
    guard let first = bytes.firstIndex(where: { $0 != 0x20 }),
      let last = bytes.lastIndex(where: { $0 != 0x20 })
    else { return [] }
    return Array(bytes[first...last])
  }

  private static func number(_ bytes: ArraySlice<UInt8>, in range: ClosedRange<Double>) -> Double? {
    // Double(_:) would also take "inf", "nan" and hexadecimal numbers.
    let isPlain = bytes.allSatisfy { ASCII.isDigit($0) || "+-.,eE".utf8.contains($0) }
    guard isPlain else { return nil }
    let text = String(
      decoding: bytes.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }, as: UTF8.self)
    guard let value = Double(text), range.contains(value) else { return nil }
    return value
  }
}
