import Reactor
import Wire

/// A client of the event stream; it belongs to one loop.
final class EventWatch {
  let feed: EventFeed
  /// End of the time for which the client may be told, monotonic nanoseconds; `.max` for never.
  let endsAt: Int64
  /// The client has had all events up to this one, or they are in `pending`. Later events of the ring are still to
  /// come.
  var last: UInt64
  /// The newest event of its session that the client was told; nil when it was told none.
  var lastOfSession: UInt64?
  /// Bytes that the socket has not taken yet; the rest of the ring waits for them.
  var pending: ArraySlice<UInt8>
  /// Time when a comment is due that keeps proxies from closing, monotonic nanoseconds.
  var heartbeat: Int64
  /// Bytes that the socket took.
  var written: UInt64 = 0
  /// Time when the other end was last seen to take something, monotonic nanoseconds.
  private(set) var takenAt: Int64
  private var acknowledged: UInt64 = 0
  private var lookedAt: Int64

  /// Nanoseconds between two looks at what the other end takes.
  private static let lookNanoseconds: Int64 = 5_000_000_000

  init(
    of feed: EventFeed, after last: UInt64, pending: [UInt8], endsAt: Int64, now: Int64
  ) {
    self.feed = feed
    self.endsAt = endsAt
    self.last = last
    self.pending = pending[...]
    heartbeat = now
    takenAt = now
    lookedAt = now
  }

  /// Whether it is time to look at what the other end takes.
  func isToBeLookedAt(now: Int64) -> Bool {
    if now - lookedAt < Self.lookNanoseconds { return false }
    lookedAt = now
    return true
  }

  /// Leaves out a standstill, during which the loop could not look.
  func bear(_ nanoseconds: Int64) {
    takenAt = takenAt.saturatingAdd(nanoseconds)
    lookedAt = lookedAt.saturatingAdd(nanoseconds)
  }

  /// Whether the other end has taken something since the last look, or has everything.
  ///
  /// - Parameter open: bytes that the other end has not confirmed. With TLS these are more than were written, but no
  ///   more of them are confirmed unless the other end reads some.
  func confirms(_ open: Int) -> Bool {
    let confirmed = written - min(written, UInt64(max(0, open)))
    guard open == 0 || confirmed > acknowledged else { return false }
    acknowledged = max(acknowledged, confirmed)
    takenAt = lookedAt
    return true
  }
}
