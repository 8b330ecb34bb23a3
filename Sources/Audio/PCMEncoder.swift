import Wire

/// Makes MP3 of samples as they come: WAV, or raw.
///
/// The encoder is used on one thread at a time. It costs what `SampleEncoder` does.
public final class PCMEncoder {
  private var reader: PCMReader
  private let encoder: SampleEncoder

  public init(_ settings: PCMEncoding) {
    encoder = SampleEncoder(settings)
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
        let made = samples.withUnsafeBufferPointer { samples in
          Result { () throws(AudioError) in
            try encoder.encode(samples, rate: rate, channels: channels)
          }
        }
        switch made {
        case .success(let made): bytes += made
        case .failure(let failure): refusal = failure
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
  public func finish() -> [UInt8] { encoder.finish() }
}
