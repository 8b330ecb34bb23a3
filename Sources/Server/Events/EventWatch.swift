import Reactor
import Wire

/// A client of the event stream. It belongs to a loop.
final class EventWatch {
  let feed: EventFeed
  /// It has had all events up to this one, or they are in `pending`. What the ring tells later is the future's.
  var last: UInt64
  /// What its socket has not taken yet; the rest of the ring waits for it.
  var pending: ArraySlice<UInt8>
  /// When a comment is due that keeps proxies from closing, monotonic nanoseconds.
  var heartbeat: Int64
  /// Bytes that its socket took.
  var written: UInt64 = 0
  /// When the other end was last seen to take something.
  private(set) var takenAt: Int64
  private var acknowledged: UInt64 = 0
  private var lookedAt: Int64

  /// Seconds between two looks, in nanoseconds.
  private static let lookNanoseconds: Int64 = 5_000_000_000

  init(of feed: EventFeed, after last: UInt64, pending: [UInt8], now: Int64) {
    self.feed = feed
    self.last = last
    self.pending = pending[...]
    heartbeat = now
    takenAt = now
    lookedAt = now
  }

  /// Whether it is time to see what it takes.
  func isToBeLookedAt(now: Int64) -> Bool {
    if now - lookedAt < Self.lookNanoseconds { return false }
    lookedAt = now
    return true
  }

  /// Nobody was there to look for so long.
  func bear(_ nanoseconds: Int64) {
    takenAt = takenAt.saturatingAdd(nanoseconds)
    lookedAt = lookedAt.saturatingAdd(nanoseconds)
  }

  /// - Parameter open: bytes that the other end has not confirmed; with TLS they are more than were written, but no
  ///   more of them are confirmed unless it takes some.
  func takes(_ open: Int) -> Bool {
    let confirmed = written - min(written, UInt64(max(0, open)))
    guard open == 0 || confirmed > acknowledged else { return false }
    acknowledged = max(acknowledged, confirmed)
    takenAt = lookedAt
    return true
  }
}

/// Those of a loop's watchers who want the same.
final class EventFeed {
  let filter: EventFilter
  /// Places of those who have had everything so far.
  var inStep: Set<UInt32> = []
  fileprivate var watchers = 0

  init(_ filter: EventFilter) { self.filter = filter }
}

/// A loop's watchers, by what they want.
struct EventFeeds {
  /// Whoever is in step has had everything up to this event.
  var last: UInt64
  private var feeds: [EventFilter: EventFeed] = [:]

  init(after last: UInt64) { self.last = last }

  var all: some Collection<EventFeed> { feeds.values }

  mutating func join(_ filter: EventFilter) -> EventFeed {
    let feed = feeds[filter] ?? EventFeed(filter)
    feed.watchers += 1
    feeds[filter] = feed
    return feed
  }

  mutating func leave(_ feed: EventFeed, _ slot: UInt32) {
    feed.inStep.remove(slot)
    feed.watchers -= 1
    if feed.watchers == 0 { feeds[feed.filter] = nil }
  }
}
