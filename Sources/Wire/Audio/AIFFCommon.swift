/// The chunk `COMM` of an AIFF or AIFF-C file: what its samples are ("Audio Interchange File Format", Apple, 1989).
public struct AIFFCommon: Hashable, Sendable {
  public var channels: Int
  /// Samples of a channel.
  public var frames: Int64
  public var bits: Int
  /// Hz.
  public var sampleRate: Int
  /// Four characters; `NONE` in plain AIFF.
  public var compression: String

  /// The number of bytes that always suffices.
  public static let bytesMax = 22

  /// Reads the chunk's content: 2 bytes of channels, 4 of frames, 2 of bits, 10 of the rate, 4 of the compression.
  public init?(in bytes: Span<UInt8>) {
    guard bytes.count >= 18 else { return nil }
    channels = Int(bytes.bigEndianWord(at: 0) >> 16)
    frames = Int64(bytes.bigEndianWord(at: 2))
    bits = Int(bytes.bigEndianWord(at: 4) & 0xFFFF)
    guard let rate = Self.rate(bytes), Bounds.channels.contains(channels),
      (1...64).contains(bits)
    else { return nil }
    sampleRate = rate
    compression =
      bytes.count >= 22
      ? String(decoding: (18..<22).map { bytes[$0] }, as: UTF8.self) : "NONE"
  }

  /// The rate, a number of 80 bits: a sign, 15 bits of exponent, 64 bits with the one before the point.
  private static func rate(_ bytes: Span<UInt8>) -> Int? {
    let exponent = Int(bytes[8]) << 8 | Int(bytes[9])
    let high = UInt64(bytes.bigEndianWord(at: 10))
    let mantissa = high << 32 | UInt64(bytes.bigEndianWord(at: 14))
    // What is above 2^20 Hz, or below 1, is no rate.
    let shift = 16_383 + 63 - exponent
    guard (43...63).contains(shift) else { return nil }
    let rate = Int(mantissa >> UInt64(shift))
    return Bounds.sampleRates.contains(rate) ? rate : nil
  }
}
