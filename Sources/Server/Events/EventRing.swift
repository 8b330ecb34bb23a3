import Synchronization

/// The newest events, rendered, with growing ids; any number of readers with cursors of their own.
public final class EventRing: Sendable {
  /// One event in its two renderings.
  public struct Event: Sendable {
    public var id: UInt64
    public var kind: String
    public var station: String?
    /// One line of JSON, without what concerns single listeners.
    public var json: String
    /// The same with addresses, players and sessions.
    public var identifiedJSON: String
  }

  private struct State {
    var events: [Event] = []
    /// Index of the oldest one, once the ring is full.
    var first = 0
    let firstID: UInt64
    var nextID: UInt64
  }

  /// About 2 MB at most, with two renderings of 250 bytes.
  public static let countMax = 4096
  private let state: Mutex<State>
  private let newest: Atomic<UInt64>

  /// - Parameter firstID: ids go on over restarts, so begin with something that only grows (Unix ms × 1000).
  public init(firstID: UInt64) {
    state = Mutex(State(firstID: firstID, nextID: firstID))
    newest = Atomic(firstID - 1)
  }

  /// The id of the newest event; the one before the first while there is none.
  public var newestID: UInt64 { newest.load(ordering: .acquiring) }

  public func append(kind: String, station: String?, json: String, identifiedJSON: String? = nil) {
    state.withLock { state in
      let event = Event(
        id: state.nextID, kind: kind, station: station, json: json,
        identifiedJSON: identifiedJSON ?? json)
      state.nextID += 1
      if state.events.count < Self.countMax {
        state.events.append(event)
      } else {
        state.events[state.first] = event
        state.first = (state.first + 1) % Self.countMax
      }
      newest.store(event.id, ordering: .releasing)
    }
  }

  /// What a reader gets: events, and how many it missed because the ring went round.
  public struct Batch: Sendable {
    public var events: [Event]
    public var missed: UInt64
    /// Where to read on.
    public var last: UInt64
  }

  /// Up to `limit` events after `id`.
  public func read(after id: UInt64, limit: Int) -> Batch {
    state.withLock { state in
      let oldest = state.nextID - UInt64(state.events.count)
      // An id of the future (another server's): from now on.
      let start = min(max(id &+ 1, oldest), state.nextID)
      // Of what an earlier run told nothing is known: counted are the events of this one.
      let next = max(id &+ 1, state.firstID)
      let missed = next < oldest ? oldest - next : 0
      let count = min(Int(state.nextID - start), limit)
      let events = (0..<count).map { index in
        let place = (state.first + Int(start - oldest) + index) % max(1, state.events.count)
        return state.events[place]
      }
      return Batch(events: events, missed: missed, last: start + UInt64(count) - 1)
    }
  }
}
