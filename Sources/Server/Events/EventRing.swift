import Synchronization

/// The newest events, rendered, with growing ids. Any number of readers have cursors of their own.
public final class EventRing: Sendable {
  /// One event in its two renderings.
  public struct Event: Sendable {
    public var id: UInt64
    public var kind: String
    public var station: String?
    /// One line of JSON, without what concerns single listeners.
    public var json: String
    /// The line of JSON with addresses, players and sessions.
    public var identifiedJSON: String
  }

  private struct State {
    var events: [EventFrame] = []
    /// Index of the oldest event, once the ring is full.
    var first = 0
    let firstID: UInt64
    var nextID: UInt64
  }

  /// Most events: about 0.7 MB, with 250 bytes of an event.
  public static let countMax = 2048
  private let state: Mutex<State>
  private let newest: Atomic<UInt64>

  /// - Parameter firstID: id of the first event. Ids go on over restarts, so begin with something that only grows (Unix
  ///   ms × 1000).
  public init(firstID: UInt64) {
    let firstID = max(1, firstID)
    state = Mutex(State(firstID: firstID, nextID: firstID))
    newest = Atomic(firstID - 1)
  }

  /// The id of the newest event; the one before the first while there is none.
  public var newestID: UInt64 { newest.load(ordering: .acquiring) }

  public func append(kind: String, station: String?, json: String, identifiedJSON: String? = nil) {
    state.withLock { state in
      let frame = EventFrame(
        id: state.nextID, kind: kind, station: station, json: json, identified: identifiedJSON)
      if state.events.count < Self.countMax {
        state.events.append(frame)
      } else {
        state.events[state.first] = frame
        state.first = (state.first + 1) % Self.countMax
      }
      newest.store(state.nextID, ordering: .releasing)
      state.nextID += 1
    }
  }

  /// Answer to a reader: events, and how many it missed because the ring went round.
  public struct Batch: Sendable {
    public var events: [Event]
    public var missed: UInt64
    /// Id after which to read on.
    public var last: UInt64
  }

  /// Returns up to `limit` events after `id`.
  public func read(after id: UInt64, limit: Int) -> Batch {
    let frames = frames(after: id, limit: limit)
    return Batch(events: frames.frames.map(\.event), missed: frames.missed, last: frames.last)
  }

  /// Returns up to `limit` events after `id` that a filter lets through.
  func frames(
    after id: UInt64, through end: UInt64 = .max, limit: Int, where filter: EventFilter
  ) -> EventFrames {
    frames(after: id, through: end, limit: limit) { filter.admits($0) }
  }

  /// Returns up to `limit` events after `id` that are wanted. `isWanted` is called under the ring's lock, for the other
  /// events too.
  func frames(
    after id: UInt64, through end: UInt64 = .max, limit: Int = .max,
    where isWanted: (EventFrame) -> Bool = { _ in true }
  ) -> EventFrames {
    state.withLock { state in
      let oldest = state.nextID - UInt64(state.events.count)
      // After an id of the future (another server's), reading begins now.
      let start = min(max(id &+ 1, oldest), state.nextID)
      // Nothing is known of what an earlier run told: only events of this run count as missed.
      let next = max(id &+ 1, state.firstID)
      var found = EventFrames(missed: next < oldest ? oldest - next : 0, last: start - 1)
      while found.last < min(end, state.nextID - 1), found.frames.count < limit {
        found.last += 1
        let place = (state.first + Int(found.last - oldest)) % state.events.count
        if isWanted(state.events[place]) { found.frames.append(state.events[place]) }
      }
      return found
    }
  }
}
