import Wire

/// Makes samples of a stream's packets. It is used on one thread at a time.
public protocol SoundDecoder: AnyObject {
  /// The format of the newest samples; nil until there are some.
  var format: AudioFormat? { get }

  /// Decodes as far as the bytes go.
  ///
  /// - Parameter take: Gets interleaved samples in `format`, valid during the call.
  func decode(
    _ bytes: UnsafeRawBufferPointer, _ take: (UnsafeBufferPointer<Int16>) -> Void
  ) throws(AudioError)
}
