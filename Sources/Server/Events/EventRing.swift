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

  /// An event as it is kept: by the thousand, so what both renderings begin with stands there once.
  private struct Entry {
    var kind: String
    var station: String?
    /// The one without what concerns single listeners, and behind it how the other one ends.
    var text: [UInt8]
    var length: Int32
    /// With so many bytes the other one begins, too.
    var shared: Int32

    init(_ kind: String, _ station: String?, _ json: String, identified: String?) {
      self.kind = kind
      self.station = station
      text = Array(json.utf8)
      length = Int32(text.count)
      shared = length
      guard let identified else { return }
      shared = Int32(zip(json.utf8, identified.utf8).prefix { $0 == $1 }.count)
      text = text + identified.utf8.dropFirst(Int(shared))
    }

    func event(id: UInt64) -> Event {
      Event(
        id: id, kind: kind, station: station,
        json: String(decoding: text[..<Int(length)], as: UTF8.self),
        identifiedJSON: String(
          decoding: text[..<Int(shared)] + text[Int(length)...], as: UTF8.self))
    }
  }

  private struct State {
    var events: [Entry] = []
    /// Index of the oldest one, once the ring is full.
    var first = 0
    let firstID: UInt64
    var nextID: UInt64
  }

  /// About 0.6 MB at most, with 250 bytes of an event.
  public static let countMax = 2048
  private let state: Mutex<State>
  private let newest: Atomic<UInt64>

  /// - Parameter firstID: ids go on over restarts, so begin with something that only grows (Unix ms × 1000).
  public init(firstID: UInt64) {
    let firstID = max(1, firstID)
    state = Mutex(State(firstID: firstID, nextID: firstID))
    newest = Atomic(firstID - 1)
  }

  /// The id of the newest event; the one before the first while there is none.
  public var newestID: UInt64 { newest.load(ordering: .acquiring) }

  public func append(kind: String, station: String?, json: String, identifiedJSON: String? = nil) {
    let entry = Entry(kind, station, json, identified: identifiedJSON)
    state.withLock { state in
      if state.events.count < Self.countMax {
        state.events.append(entry)
      } else {
        state.events[state.first] = entry
        state.first = (state.first + 1) % Self.countMax
      }
      newest.store(state.nextID, ordering: .releasing)
      state.nextID += 1
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
        return state.events[place].event(id: start + UInt64(index))
      }
      return Batch(events: events, missed: missed, last: start + UInt64(count) - 1)
    }
  }
}
