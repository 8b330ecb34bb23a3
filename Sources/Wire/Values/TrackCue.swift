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

  /// How long it is, of a track of so many seconds.
  public func seconds(of whole: Double) -> Double { max(0, min(end ?? whole, whole) - start) }
}
