/// The part of a track that is played, in seconds of its sound: what encoders added is not counted.
public struct TrackCue: Hashable, Sendable {
  /// Seconds in front of it; 0: nothing is left out there.
  public let start: Double
  /// Where it ends; nil: at the track's end.
  public let end: Double?

  /// More than the longest track that is believed.
  public static let secondsMax = 1e7

  /// - Returns: nil where nothing is left out, and of bounds that cannot be.
  public init?(from start: Double?, to end: Double?) {
    let begin = start ?? 0
    guard start != nil || end != nil, (0...Self.secondsMax).contains(begin),
      end.map({ $0 > begin && $0 <= Self.secondsMax }) ?? (begin > 0)
    else { return nil }
    (self.start, self.end) = (begin, end)
  }

  /// Shorter parts are not played.
  public static let secondsMin = 0.1
  /// What is left of a track of unknown length, where only the beginning is said.
  private static let secondsAssumed = 1.0

  /// How long it is, of a track of so many seconds.
  ///
  /// - Parameter isExact: whether the track is as long as that; what is said of its end is believed more than an estimate.
  public func seconds(of whole: Double, isExact: Bool = true) -> Double {
    if !isExact { return end.map { $0 - start } ?? max(Self.secondsAssumed, whole - start) }
    return max(0, min(end ?? whole, whole) - start)
  }
}
