import Wire

/// Makes MP3 of samples as they come: WAV, or raw.
///
/// It is used on one thread at a time. It costs what `LameEncoder` does, and a quarter more where rates differ.
public final class PCMEncoder {
  private let settings: PCMEncoding
  private var reader: PCMReader
  private var source: (rate: Int, channels: Int)?
  private var encoder: LameEncoder?
  /// Nil where the samples are encoded as they are.
  private var converter: SampleConverter?

  public init(_ settings: PCMEncoding) {
    self.settings = settings
    reader =
      settings.raw.map {
        PCMReader(
          raw: SampleFormat(
            sampleRate: settings.rawRate, channels: settings.rawChannels, encoding: $0))
      } ?? PCMReader()
  }

  /// Encodes a piece and returns the bytes that are ready: none, or several frames, not always whole ones.
  public func encode(_ piece: Span<UInt8>) throws(AudioError) -> [UInt8] {
    var bytes: [UInt8] = []
    var refusal: AudioError?
    do throws(PCMReader.Failure) {
      try reader.read(piece) { samples, rate, channels in
        if refusal != nil { return }
        do throws(AudioError) {
          bytes += try encode(samples, rate: rate, channels: channels)
        } catch {
          refusal = error
        }
      }
    } catch {
      throw AudioError(
        call: "PCM", code: 0, reason: error.reason, advice: "Look at what the program writes.")
    }
    if let refusal { throw refusal }
    return bytes
  }

  /// Returns what the encoder still holds, padded with silence to a whole frame.
  public func finish() -> [UInt8] {
    defer { (encoder, source) = (nil, nil) }
    return encoder?.finish() ?? []
  }

  private func encode(
    _ samples: [Int16], rate: Int, channels: Int
  ) throws(AudioError) -> [UInt8] {
    var bytes: [UInt8] = []
    if source?.rate != rate || source?.channels != channels {
      bytes = finish()
      try begin(rate: rate, channels: channels)
      source = (rate, channels)
    }
    guard let encoder else { return bytes }
    guard let converter else { return try bytes + encoder.encode(samples) }
    var converted: [UInt8] = []
    var refusal: AudioError?
    samples.withUnsafeBufferPointer { samples in
      do throws(AudioError) {
        try converter.convert(samples, rate: rate, channels: channels, into: &converted)
      } catch {
        refusal = error
      }
    }
    if let refusal { throw refusal }
    let values = stride(from: 0, to: converted.count - 1, by: 2).map {
      Int16(truncatingIfNeeded: Int(converted[$0]) | Int(converted[$0 + 1]) << 8)
    }
    return try bytes + encoder.encode(values)
  }

  private func begin(rate: Int, channels: Int) throws(AudioError) {
    let wanted = settings.sampleRate ?? Self.sampleRate(for: rate, bitrate: settings.bitrate)
    let made = settings.isMono ? 1 : channels
    encoder = try LameEncoder(sampleRate: wanted, channels: made, bitrate: settings.bitrate)
    let isSame = wanted == rate && made == channels
    converter =
      isSame
      ? nil
      : SampleConverter(
        to: SampleFormat(sampleRate: wanted, channels: made, encoding: .s16le))
  }

  /// Returns the rate of MP3 next to the samples' that has the bit rate, upwards if there is one.
  static func sampleRate(for rate: Int, bitrate: Int) -> Int {
    let possible = LameEncoder.sampleRates.filter {
      LameEncoder.bitrates(at: $0)?.contains(bitrate) == true
    }
    return possible.first { $0 >= rate } ?? possible.last ?? rate
  }
}
