import Wire

/// Makes samples of a stream's packets. It is used on one thread at a time.
public protocol SoundDecoder: AnyObject {
  /// The format of the newest samples; nil until there are some.
  var format: AudioFormat? { get }

  /// Decodes as far as the bytes go.
  ///
  /// - Parameters:
  ///   - seconds: Sound beyond which the bytes are refused.
  ///   - take: Gets interleaved samples in `format`, valid during the call.
  func decode(
    _ bytes: UnsafeRawBufferPointer, atMost seconds: Double,
    _ take: (UnsafeBufferPointer<Int16>) -> Void
  ) throws(AudioError)
}

extension AudioFormat {
  /// Returns how long interleaved samples last.
  public func seconds(of samples: Int) -> Double {
    Double(samples / max(1, channels)) / Double(max(1, sampleRate))
  }
}
