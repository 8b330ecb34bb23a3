import Synchronization
import Timeshift
import Wire

/// A place in a station's log that is kept while nobody is connected, and over restarts.
public struct SessionRecord: Hashable, Sendable {
  public enum Place: Hashable, Sendable {
    case live
    /// Of the next packet, and when it was on air: a log that began anew is told by it.
    case packet(at: UInt64, air: WallTime)
  }

  public var station: String
  public var place: Place
  public var isPaused: Bool
  /// When somebody was last connected.
  public var lastSeen: WallTime

  public init(station: String, place: Place, isPaused: Bool, lastSeen: WallTime) {
    self.station = station
    self.place = place
    self.isPaused = isPaused
    self.lastSeen = lastSeen
  }
}

/// The listening sessions of a server. Looked at when somebody comes, goes or steers, never per turn.
final class SessionTable: Sendable {
  /// Who has a session: a listener of a loop.
  struct Owner: Sendable {
    let loop: LoopServer
    let listener: UInt64

    /// Ends it, when its client has what is on its way: confirmations may be held back for 40 ms.
    func leave() async {
      for _ in 0..<5 {
        if await loop.stopFeeding(listener) { break }
        try? await Task.sleep(for: .milliseconds(20))
      }
      await loop.release(listener)
    }
  }

  struct Entry {
    var record: SessionRecord
    /// nil: nobody is connected.
    var owner: Owner?
  }

  private struct State {
    var entries: [SessionToken: Entry] = [:]
    var limits = SessionLimits()

    func isExpired(_ entry: Entry) -> Bool {
      let away = Moment.now().wall.seconds - entry.record.lastSeen.seconds
      return entry.owner == nil && limits.timeout > 0 && away > limits.timeout
    }

    mutating func forgetExpired() { entries = entries.filter { !isExpired($0.value) } }
  }

  private let state = Mutex(State())

  func set(_ limits: SessionLimits) { state.withLock { $0.limits = limits } }

  /// Takes up what was kept; what is there already wins.
  func restore(_ records: [SessionToken: SessionRecord]) {
    state.withLock { state in
      for (token, record) in records where state.entries[token] == nil {
        state.entries[token] = Entry(record: record)
      }
    }
  }

  var records: [SessionToken: SessionRecord] {
    state.withLock { $0.entries.mapValues(\.record) }
  }

  subscript(token: SessionToken) -> Entry? {
    state.withLock { state in state.entries[token].flatMap { state.isExpired($0) ? nil : $0 } }
  }

  /// Whether there is a place for `token`; the one that was away longest makes room.
  func makeRoom(for token: SessionToken) -> Bool {
    state.withLock { state in
      if state.entries[token] != nil || state.entries.count < state.limits.sessionsMax {
        return true
      }
      state.forgetExpired()
      if state.entries.count < state.limits.sessionsMax { return true }
      let away = state.entries.filter { $0.value.owner == nil }
      guard let longest = away.min(by: { $0.value.record.lastSeen < $1.value.record.lastSeen })
      else { return false }
      state.entries[longest.key] = nil
      return true
    }
  }

  /// A listener has the session from now on.
  /// - Returns: who had it.
  func take(_ token: SessionToken, _ record: SessionRecord, by owner: Owner) -> Owner? {
    state.withLock { state in
      let before = state.entries[token]?.owner
      state.entries[token] = Entry(record: record, owner: owner)
      return before
    }
  }

  /// Where the session is now; `isOver`: its listener is gone. Of a listener that lost it nothing is taken.
  func update(
    _ token: SessionToken, of listener: UInt64, isOver: Bool = false,
    _ change: (inout SessionRecord) -> Void
  ) {
    state.withLock { state in
      guard state.entries[token]?.owner?.listener == listener else { return }
      change(&state.entries[token]!.record)
      if isOver { state.entries[token]?.owner = nil }
    }
  }

  /// Moves a session that nobody is connected to. False: somebody is, by now.
  func move(_ token: SessionToken, to record: SessionRecord) -> Bool {
    state.withLock { state in
      guard let entry = state.entries[token], entry.owner == nil else { return false }
      state.entries[token]?.record = record
      return true
    }
  }

  /// Lets go of what has been away for too long.
  func forgetExpired() { state.withLock { $0.forgetExpired() } }
}

/// How many sessions there may be, and for how long they are kept.
public struct SessionLimits: Hashable, Sendable {
  public var sessionsMax = 10_000
  /// Seconds without a connection; 0: for ever.
  public var timeout = 86_400.0

  public init() {}
}
