/// When the studio owes its next slice.
///
/// Deadlines follow from the first one by addition of whole slices, never from when the last slice
/// happened to be made, so nothing drifts. Only a machine that slept moves them, and a clock that went back.
struct StudioPace: Sendable {
  /// 100 ms, in nanoseconds.
  static let slice: Int64 = 100_000_000
  /// More than this and the machine slept: catching up would be a flood of old programme.
  static let latenessMax: Int64 = 5_000_000_000

  /// When the next slice is to be made, in nanoseconds of the clock that `begin` was read from.
  private(set) var due: Int64

  init(begin: Int64) { due = begin + Self.slice }

  /// Nanoseconds to sleep: never more than a slice, also by a clock that was set back while the machine was suspended.
  func wait(at now: Int64) -> Int64 { min(Self.slice, max(0, due - now)) }

  /// A slice is made now: moves the deadline to the one after it.
  ///
  /// - Returns: the seconds that are given up, if the slice is so late that the programme goes on
  ///   from now.
  mutating func advance(at now: Int64) -> Double? {
    let lateness = now - due
    if lateness < -Self.slice {
      due = now + Self.slice
      return nil
    }
    guard lateness > Self.latenessMax else {
      due += Self.slice
      return nil
    }
    due = now + Self.slice
    return Double(lateness) / 1e9
  }
}
