import Audio
import Media
import Timeshift
import Wire

/// Makes a whole file of MP3 of a track. Its first frame says what the encoder added, so that it is joined to the sample.
public struct TrackConverter {
  /// Seconds of the longest track that is made. A file may hold a year of silence in a few megabytes.
  public static let secondsMax = 12.0 * 3600
  /// LAME's quality: it is made once, and is heard often.
  private static let quality = 3
  private static let pieceBytes = 256 << 10

  private let format: MadeFormat

  public init(to format: MadeFormat) { self.format = format }

  /// Makes the file. Blocks, for some 20 ms a second of audio.
  ///
  /// - Parameters:
  ///   - write: gets pieces of the file, one behind the other; the last one stands at its beginning again.
  ///   - goesOn: asked for each piece of the file and of sound; false ends it.
  /// - Returns: the seconds of its sound; nil if it was ended.
  /// - Throws: why the track cannot be decoded, or what `write` throws.
  public func convert(
    _ file: MediaFile, goesOn: @escaping () -> Bool,
    write: (_ bytes: [UInt8], _ place: UInt64) throws(StorageError) -> Void
  ) throws -> Double? {
    let encoder = try LameEncoder(
      sampleRate: format.sampleRate, channels: format.channels, bitrate: format.bitrate,
      quality: Self.quality, isFile: true)
    var resampler = TrackResampler(sampleRate: format.sampleRate, channels: format.channels)
    var samples = 0
    var failure: (any Error)?
    var (bytes, place): ([UInt8], UInt64) = ([], 0)
    func put() throws(StorageError) {
      if bytes.isEmpty { return }
      try write(bytes, place)
      place += UInt64(bytes.count)
      bytes.removeAll(keepingCapacity: true)
    }
    let track = try TrackSound(file, goesOn: goesOn)
    try track.decode { sound, rate, channels in
      do {
        let fitting = try resampler.convert(sound, rate: rate, channels: channels)
        samples += fitting.count / format.channels
        bytes += try encoder.encode(fitting)
        if bytes.count >= Self.pieceBytes { try put() }
      } catch {
        failure = error
        return false
      }
      guard Double(samples) <= Self.secondsMax * Double(format.sampleRate) else {
        failure = TrackSoundError("is longer than 12 hours, and is not made to fit")
        return false
      }
      return true
    }
    if track.wasEnded { return nil }
    if let failure { throw failure }
    let rest = try resampler.finish()
    samples += rest.count / format.channels
    bytes += try encoder.encode(rest)
    guard samples > 0 else { throw TrackSoundError("has no sound") }
    bytes += encoder.finish()
    try put()
    try write(encoder.infoFrame(), 0)
    return Double(samples) / Double(format.sampleRate)
  }
}
