import Synchronization

/// The newest events, rendered, with ids that grow by one. Any number of readers have cursors of their own.
///
/// Strangers make listeners' events at will, so these have a share of their own: however many there are, the other
/// events stay.
public final class EventRing: Sendable {
  /// One event in its two renderings.
  public struct Event: Sendable {
    public var id: UInt64
    public var kind: String
    public var station: String?
    /// Whether whoever comes and goes makes such events.
    public var isOfListener: Bool
    /// One line of JSON, without what concerns single listeners.
    public var json: String
    /// The line of JSON with addresses, players and sessions.
    public var identifiedJSON: String

    public init(
      id: UInt64, kind: String, station: String?, isOfListener: Bool = false, json: String,
      identifiedJSON: String
    ) {
      self.id = id
      self.kind = kind
      self.station = station
      self.isOfListener = isOfListener
      self.json = json
      self.identifiedJSON = identifiedJSON
    }
  }

  fileprivate struct State {
    var ofListeners = EventShare(countMax: EventRing.countMax)
    var others = EventShare(countMax: EventRing.countMax)
    /// The kinds of listeners' events so far.
    var listenerKinds: Set<String> = []
    let firstID: UInt64
    var nextID: UInt64
  }

  /// Most events of a share: about 0.7 MB, with 250 bytes of an event.
  public static let countMax = 2048
  /// An id that is never given.
  static let unknownID = UInt64.max
  private let state: Mutex<State>
  private let newest: Atomic<UInt64>

  /// - Parameter firstID: id of the first event. Ids go on over restarts, so begin above all that were given before.
  public init(firstID: UInt64) {
    let firstID = max(1, firstID)
    state = Mutex(State(firstID: firstID, nextID: firstID))
    newest = Atomic(firstID - 1)
  }

  /// The id of the newest event; the one before the first while there is none.
  public var newestID: UInt64 { newest.load(ordering: .acquiring) }

  /// Keeps an event, and returns its id.
  ///
  /// - Parameter isListed: whether strangers are told it who do not name its station.
  @discardableResult
  public func append(
    kind: String, station: String?, isOfListener: Bool = false, isListed: Bool = true,
    json: String, identifiedJSON: String? = nil
  ) -> UInt64 {
    state.withLock { state in
      let id = state.nextID
      let frame = EventFrame(
        id: id, kind: kind, station: station, isOfListener: isOfListener, isListed: isListed,
        json: json, identified: identifiedJSON)
      if isOfListener {
        state.listenerKinds.insert(kind)
        state.ofListeners.append(frame)
      } else {
        state.others.append(frame)
      }
      newest.store(id, ordering: .releasing)
      state.nextID += 1
      return id
    }
  }

  /// Answer to a reader: events, and how many it missed because the ring went round.
  public struct Batch: Sendable {
    public var events: [Event]
    public var missed: UInt64
    /// Id after which to read on.
    public var last: UInt64
  }

  /// Returns up to `limit` events after `id`; all there are, and that at least one is missed, when it was never given.
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
      // Nothing is known of what an earlier run told: only events of this run count as missed. An id that was not given
      // is another server's, or of a clock that was ahead: whoever has it gets all there is.
      let isUnknown = id >= state.nextID
      let start = isUnknown ? state.firstID - 1 : max(id, state.firstID - 1)
      var found = EventFrames(last: start, listenerKinds: state.listenerKinds)
      var next = (
        others: state.others.index(after: start), ofListeners: state.ofListeners.index(after: start)
      )
      let end = max(start, min(end, state.nextID - 1))
      var seen: UInt64 = 0
      while found.frames.count < limit, let frame = state.frame(at: &next), frame.id <= end {
        seen += 1
        found.last = frame.id
        if isWanted(frame) { found.frames.append(frame) }
      }
      if found.frames.count < limit { found.last = end }
      // Ids have no gaps: what was not seen is gone.
      found.missed = found.last - start - seen
      found.missesOthers = state.others.lastGone > start
      if isUnknown { (found.missed, found.missesOthers) = (max(1, found.missed), true) }
      return found
    }
  }
}

extension EventRing.State {
  /// Returns the older one of the next events of both shares, and goes on behind it.
  fileprivate func frame(at next: inout (others: Int, ofListeners: Int)) -> EventFrame? {
    let other = next.others < others.count ? others[next.others] : nil
    let ofListener = next.ofListeners < ofListeners.count ? ofListeners[next.ofListeners] : nil
    if let other, ofListener.map({ other.id < $0.id }) ?? true {
      next.others += 1
      return other
    }
    if ofListener != nil { next.ofListeners += 1 }
    return ofListener
  }
}
