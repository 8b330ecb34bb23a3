import Wire

/// Makes MP3 of samples of any rate, in mono or stereo, at the loudness that is wished.
///
/// The encoder is used on one thread at a time. It costs what `LameEncoder` does, a quarter more where rates differ,
/// and two thirds more where the loudness is set.
public final class SampleEncoder {
  /// Samples of a channel by which the decoded MP3 is later than what was encoded, at the MP3's rate.
  public var delay: Int {
    (encoder.map { $0.delay + MPEGInfo.decoderDelay } ?? 0) + (leveller?.made.delay ?? 0)
  }
  /// Hz of the MP3; 0 before the first samples.
  public var sampleRate: Int { encoder?.sampleRate ?? 0 }

  private let settings: PCMEncoding
  private var source: (rate: Int, channels: Int)?
  private var encoder: LameEncoder?
  private var converter: SampleConverter?
  /// Outlives the end of a stream: what follows is as loud as what was before.
  private var leveller: (made: LoudnessLeveller, sampleRate: Int, channels: Int)?

  public init(_ settings: PCMEncoding) { self.settings = settings }

  /// Makes MP3 that is as good as the original, at its rate or the next one that MP3 has.
  ///
  /// - Parameters:
  ///   - original: the format as it is heard.
  ///   - bitrate: kbit/s of the original.
  public convenience init(like original: AudioFormat, bitrate: Double) {
    var settings = PCMEncoding()
    let rate = LameEncoder.sampleRates.first { $0 >= original.sampleRate } ?? 48_000
    settings.sampleRate = rate
    settings.isMono = original.channels == 1
    settings.bitrate = Self.bitrate(like: original, bitrate, at: rate)
    self.init(settings)
  }

  /// Returns a bit rate of MP3 with which it is as good as the original.
  static func bitrate(like original: AudioFormat, _ bitrate: Double, at sampleRate: Int) -> Int {
    let possible = LameEncoder.bitrates(at: sampleRate) ?? []
    var wanted = bitrate
    if !original.codec.isMPEGAudio {
      // Younger codecs need a third less; HE-AAC and Opus are good where MP3 is not.
      wanted = max(1.5 * bitrate, original.channels == 1 ? 64 : 128)
    }
    // Frames of 128 kbit/s are padded, so that some of them have a little more.
    return possible.first { Double($0) >= wanted * 0.98 } ?? possible.last ?? 128
  }

  /// Encodes interleaved samples and returns the bytes that are ready: none, or several frames, not always whole ones.
  ///
  /// Samples of another rate or number of channels than those before end a stream, and begin another one.
  public func encode(
    _ samples: UnsafeBufferPointer<Int16>, rate: Int, channels: Int
  ) throws(AudioError) -> [UInt8] {
    var bytes: [UInt8] = []
    if source?.rate != rate || source?.channels != channels {
      bytes = finish()
      try begin(rate: rate, channels: channels)
      source = (rate, channels)
    }
    guard let encoder, let converter else { return bytes }
    var values = try converter.samples(of: samples, rate: rate, channels: channels)
    if let leveller { values = leveller.made.level(values) }
    return try bytes + encoder.encode(values)
  }

  /// Learns how loud samples in front of the first are, where the loudness is set.
  public func hear(
    _ samples: UnsafeBufferPointer<Int16>, rate: Int, channels: Int
  ) throws(AudioError) {
    guard settings.loudness != nil else { return }
    if leveller?.sampleRate != rate || leveller?.channels != channels {
      try level(at: rate, channels: channels)
    }
    leveller?.made.hear(samples)
  }

  /// Returns what the encoder still holds, padded with silence to a whole frame.
  public func finish() -> [UInt8] {
    defer { (encoder, converter, source) = (nil, nil, nil) }
    guard let encoder else { return [] }
    let rest = leveller.flatMap { try? encoder.encode($0.made.rest()) } ?? []
    return rest + encoder.finish()
  }

  private func begin(rate: Int, channels: Int) throws(AudioError) {
    let wanted = settings.sampleRate ?? Self.sampleRate(for: rate, bitrate: settings.bitrate)
    let made = settings.isMono ? 1 : settings.isStereo ? 2 : channels
    encoder = try LameEncoder(
      sampleRate: wanted, channels: made, bitrate: settings.bitrate, mode: settings.mode)
    converter = SampleConverter(sampleRate: wanted, channels: made)
    try level(at: wanted, channels: made)
  }

  private func level(at rate: Int, channels: Int) throws(AudioError) {
    guard let loudness = settings.loudness else { return }
    leveller?.made.beginStream()
    if let leveller, leveller.sampleRate == rate, leveller.channels == channels { return }
    let made = try LoudnessLeveller(to: loudness, sampleRate: rate, channels: channels)
    if let before = leveller?.made { made.goOn(from: before) }
    leveller = (made, rate, channels)
  }

  /// Returns the rate of MP3 next to the samples' that has the bit rate, upwards if there is one.
  static func sampleRate(for rate: Int, bitrate: Int) -> Int {
    let possible = LameEncoder.sampleRates.filter {
      LameEncoder.bitrates(at: $0)?.contains(bitrate) == true
    }
    return possible.first { $0 >= rate } ?? possible.last ?? rate
  }
}
