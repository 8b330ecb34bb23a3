import Wire

/// Makes MP3 of blocks of samples that come from the last to the first, each block turned round.
///
/// One encoder takes all of them, so that blocks join without a seam. It is used on one thread at a time.
public final class ReverseEncoder {
  private let encoder: LameEncoder
  private let converter: SampleConverter
  private let source: (rate: Int, channels: Int)

  /// - Parameters:
  ///   - sampleRate: Hz of the samples; MP3 has the same, or the next rate that there is.
  ///   - channels: 1 or 2.
  ///   - bitrate: kbit/s of the original; MP3 has the next bit rate that there is.
  public init(sampleRate: Int, channels: Int, bitrate: Double) throws(AudioError) {
    let rates = LameEncoder.sampleRates
    let rate = rates.first { $0 >= sampleRate } ?? 48_000
    encoder = try LameEncoder(
      sampleRate: rate, channels: channels, bitrate: Self.bitrate(for: bitrate, at: rate))
    source = (sampleRate, channels)
    converter = SampleConverter(sampleRate: rate, channels: channels)
  }

  /// kbit/s of what is made.
  public var bitrate: Int { encoder.bitrate }

  /// Hz of what is made.
  public var sampleRate: Int { encoder.sampleRate }

  /// Encodes the block in front of the last one, and returns the bytes that are ready.
  public func encode(_ block: BlockSamples) throws(AudioError) -> [UInt8] {
    let result = block.reversed.withUnsafeBufferPointer { samples in
      Result { () throws(AudioError) in
        try converter.samples(of: samples, rate: source.rate, channels: source.channels)
      }
    }
    return try encoder.encode(try result.get())
  }

  /// Returns what the encoder still holds, padded with silence to a whole frame.
  public func finish() -> [UInt8] { encoder.finish() }

  /// Returns the bit rate of MP3 next to the original's, upwards if there is one.
  static func bitrate(for original: Double, at sampleRate: Int) -> Int {
    let possible = LameEncoder.bitrates(at: sampleRate) ?? []
    // Frames of 128 kbit/s are padded, so that some of them have a little more.
    return possible.first { Double($0) >= original * 0.98 } ?? possible.last ?? 128
  }
}
