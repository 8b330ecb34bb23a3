import Timeshift
import Wire

/// Watches how a client takes a file or a clip, over minutes: one that takes next to nothing holds a place and hears
/// nothing.
struct SlowReading {
  /// Length of a span: as long as a listener may pause by default.
  static let spanNanoseconds: Int64 = 300_000_000_000
  /// Smallest share that must be taken of what plays meanwhile.
  static let shareMin = 0.1

  private var spanBegan: Int64
  /// Media time that had been taken when the span began.
  private var cursorThen = MediaTime.zero
  private(set) var isTooSlow = false

  /// - Parameter now: monotonic nanoseconds.
  init(now: Int64) { spanBegan = now }

  /// Leaves out a standstill, during which nothing could be sent.
  mutating func bear(_ nanoseconds: Int64) { spanBegan = spanBegan.saturatingAdd(nanoseconds) }

  /// Judges the client at the end of each span. Called about once a second.
  mutating func look(at cursor: MediaTime, now: Int64) {
    guard now - spanBegan >= Self.spanNanoseconds else { return }
    let enough = Double(now - spanBegan) / 1e9 * Self.shareMin
    isTooSlow = (cursor - cursorThen).seconds < enough
    (spanBegan, cursorThen) = (now, cursor)
  }
}
