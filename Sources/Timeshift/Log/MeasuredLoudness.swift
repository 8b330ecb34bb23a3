/// The loudness of the seconds of media time that somebody has decoded as a whole.
public struct MeasuredLoudness: Sendable {
  /// Its 0 is unknown; so a silent second is 1 there, 0.4 dB louder.
  private var line = LoudnessLine()

  public init() {}

  /// The loudest of some seconds, as `LoudnessLine` has it; nil unless all of them were measured.
  public func loudest(in seconds: Range<Int64>) -> UInt8? {
    guard line.softest(in: seconds) > 0 else { return nil }
    let loudest = line.loudest(in: seconds)
    return loudest == 1 ? 0 : loudest
  }

  mutating func add(_ loudness: UInt8, at second: Int64) { line.add(max(1, loudness), at: second) }

  mutating func forget(before second: Int64) { line.forget(before: second) }
}
