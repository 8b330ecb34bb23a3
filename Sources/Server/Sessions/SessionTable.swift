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
    /// Seconds that somebody was connected before.
    var used = 0.0
  }

  private struct State {
    var entries: [SessionToken: Entry] = [:]
    var limits = SessionLimits()
    /// How many of them have somebody connected.
    var connected = 0
    /// Those that somebody left who had listened for a moment only, and when: oldest first. Some have come again.
    var brief: [(token: SessionToken, seen: WallTime)] = []

    func isExpired(_ entry: Entry) -> Bool {
      let away = Moment.now().wall.seconds - entry.record.lastSeen.seconds
      return entry.owner == nil && limits.timeout > 0 && away > limits.timeout
    }

    mutating func forgetExpired() { entries = entries.filter { !isExpired($0.value) } }

    mutating func left(_ token: SessionToken, after seconds: Double) {
      entries[token]!.owner = nil
      entries[token]!.used += seconds
      connected -= 1
      if isBrief(entries[token]!) { brief.append((token, entries[token]!.record.lastSeen)) }
      if brief.count > 64 + 2 * entries.count {
        brief = brief.filter { isBrief($0.token, seen: $0.seen) }
      }
    }

    private func isBrief(_ entry: Entry) -> Bool {
      entry.owner == nil && entry.used < limits.brief
    }

    /// Whether a line of `brief` is still what is true of its session.
    private func isBrief(_ token: SessionToken, seen: WallTime) -> Bool {
      entries[token].map { isBrief($0) && $0.record.lastSeen == seen } ?? false
    }

    /// Those who listened for a moment make room first, whoever came; then, if `all`, those who are away longest.
    mutating func makeRoom(all: Bool) {
      var taken = 0
      while entries.count > limits.sessionsMax, taken < brief.count {
        let (token, seen) = brief[taken]
        taken += 1
        if isBrief(token, seen: seen) { entries[token] = nil }
      }
      brief.removeFirst(taken)
      while all, entries.count > limits.sessionsMax {
        let away = entries.lazy.filter { $0.value.owner == nil }
        guard let longest = away.min(by: { $0.value.record.lastSeen < $1.value.record.lastSeen })
        else { return }
        entries[longest.key] = nil
      }
    }
  }

  private let state = Mutex(State())

  func set(_ limits: SessionLimits) { state.withLock { $0.limits = limits } }

  /// Takes up what was kept; what is there already wins.
  func restore(_ records: [SessionToken: SessionRecord]) {
    state.withLock { state in
      for (token, record) in records where state.entries[token] == nil {
        // Nobody knows for how long it was used: for long.
        state.entries[token] = Entry(record: record, used: .infinity)
      }
    }
  }

  var records: [SessionToken: SessionRecord] {
    state.withLock { $0.entries.mapValues(\.record) }
  }

  subscript(token: SessionToken) -> Entry? {
    state.withLock { state in state.entries[token].flatMap { state.isExpired($0) ? nil : $0 } }
  }

  /// Whether there is a place for `token`: not where as many as are kept have somebody connected.
  func hasRoom(for token: SessionToken) -> Bool {
    state.withLock { $0.entries[token] != nil || $0.connected < $0.limits.sessionsMax }
  }

  /// A listener has the session from now on. One that was used for long makes room for it only when this one has been
  /// too: until it leaves there may be more than are kept.
  /// - Returns: who had it.
  func take(_ token: SessionToken, _ record: SessionRecord, by owner: Owner) -> Owner? {
    state.withLock { state in
      let before = state.entries[token]
      state.entries[token] = Entry(record: record, owner: owner, used: before?.used ?? 0)
      if before?.owner == nil { state.connected += 1 }
      state.makeRoom(all: false)
      return before?.owner
    }
  }

  /// Where the session is now; `seconds`: its listener is gone after so long. Of one that lost it nothing is taken.
  func update(
    _ token: SessionToken, of listener: UInt64, goneAfter seconds: Double? = nil,
    _ change: (inout SessionRecord) -> Void
  ) {
    state.withLock { state in
      guard state.entries[token]?.owner?.listener == listener else { return }
      change(&state.entries[token]!.record)
      guard let seconds else { return }
      state.left(token, after: seconds)
      state.makeRoom(all: true)
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

  /// Lets go of those that nobody is connected to.
  func forgetAway() {
    state.withLock { state in state.entries = state.entries.filter { $0.value.owner != nil } }
  }

  /// Lets go of what has been away for too long.
  func forgetExpired() { state.withLock { $0.forgetExpired() } }
}

/// How many sessions there may be, and for how long they are kept.
public struct SessionLimits: Hashable, Sendable {
  public var sessionsMax = 10_000
  /// Seconds without a connection; 0: for ever.
  public var timeout = 86_400.0
  /// Seconds. One that was used for less makes room before all others, and takes nobody else's: its listener has hardly
  /// a place to lose, and whoever invents tokens does not stay.
  public var brief = 10.0

  public init() {}
}
