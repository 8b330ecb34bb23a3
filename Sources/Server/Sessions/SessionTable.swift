import Synchronization
import Timeshift
import Wire

/// A loop, which feeds the listeners of sessions.
protocol SessionFeeding: Actor {
  /// Stops feeding a listener whose session a newer connection takes up.
  ///
  /// - Returns: whether the client has all that it was sent, or the listener has gone.
  func stopFeeding(_ listener: UInt64) -> Bool
  /// Ends the listener.
  func release(_ listener: UInt64)
  /// Moves a listener, or a session, in time; only looks where it is if `steering` is nil.
  ///
  /// - Returns: nil while an index is being fetched; ask again.
  func steer(_ subject: SteeringSubject, _ steering: Steering?) -> SteeringOutcome?
}

/// The listening sessions of a server. The table is used when a listener comes, goes or steers, never per turn.
final class SessionTable: Sendable {
  /// The listener that has a session, and its loop.
  struct Owner: Sendable {
    let loop: any SessionFeeding
    let listener: UInt64

    /// Ends the listener when its client has what is on its way, or after 100 ms: confirmations may be held back for 40
    /// ms.
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
    /// Listener that has the session; nil without a connection.
    var owner: Owner?
    /// Seconds that earlier connections lasted.
    var used = 0.0
    /// Address of the last connection. It is not stored: after a restart it is nil until a client comes, and each
    /// session without one stands for itself.
    var address: AddressBlock?
    /// Time of the last use, by the machine's own clock; nil if not by this process.
    var usedAt: MonotonicTime?
    /// When the last connection took the session; nil before there was one.
    var takenAt: MonotonicTime?
    /// Addresses from which the token was shown lately, the last one last.
    var homes: [AddressBlock] = []

    private static let homesMax = 4

    mutating func show(at block: AddressBlock?) {
      guard let block, homes.last != block else { return }
      homes.removeAll { $0 == block }
      if homes.count == Self.homesMax { homes.removeFirst() }
      homes.append(block)
    }
  }

  private struct State {
    var entries: [SessionToken: Entry] = [:]
    var limits = SessionLimits()
    /// Number of sessions with a connection.
    var connected = 0
    var clock = ExpiryClock()

    /// Whether a session is over. A wall clock that was wrong when the session was used says nothing: by the machine's
    /// own clock, that may have been just now.
    ///
    /// - Parameter time: the time by which sessions expire now.
    func isExpired(_ entry: Entry, at now: Moment, by time: WallTime) -> Bool {
      guard entry.owner == nil, limits.timeout > 0 else { return false }
      if let usedAt = entry.usedAt, now.sinceBoot.seconds(since: usedAt) <= limits.timeout {
        return false
      }
      return time.seconds - entry.record.lastSeen.seconds > limits.timeout
    }

    mutating func forgetExpired(at now: Moment) {
      let time = clock.now(at: now)
      entries = entries.filter { !isExpired($0.value, at: now, by: time) }
      for token in entries.keys { correct(token, at: now) }
    }

    /// Seconds; a difference below this is not a clock that was set.
    private static let stepMin = 60.0

    /// Converts the time when a session was used to the wall clock as it goes now: the next process knows no other one.
    private mutating func correct(_ token: SessionToken, at now: Moment) {
      guard let entry = entries[token], let usedAt = entry.usedAt else { return }
      let used = now.wall.adding(seconds: -now.sinceBoot.seconds(since: usedAt))
      guard abs(used.seconds(since: entry.record.lastSeen)) > Self.stepMin else { return }
      entries[token]?.record.lastSeen = used
    }

    mutating func left(_ token: SessionToken, after seconds: Double) {
      entries[token]!.owner = nil
      entries[token]!.used += seconds
      connected -= 1
    }

    /// Removes a session. A connected listener plays on, without a place that is kept.
    mutating func forget(_ token: SessionToken) {
      if entries.removeValue(forKey: token)?.owner != nil { connected -= 1 }
    }

    mutating func makeRoom() {
      let over = entries.count - limits.sessionsMax
      guard over > 0 else { return }
      // Some more of a large table, so that one pass over it is paid for by as many listeners that leave.
      for token in tokensToForget(max(over, limits.sessionsMax / 64)) { forget(token) }
    }

    /// Returns sessions of the addresses that have most, so that none has fewer because another has many. Where no
    /// address has more than one, sessions without a connection follow.
    private func tokensToForget(_ count: Int) -> [SessionToken] {
      var groups: [AddressBlock: [SessionToken]] = [:]
      for (token, entry) in entries {
        if let address = entry.address { groups[address, default: []].append(token) }
      }
      let level = Self.level(groups.values.map(\.count), toTake: count)
      let greedy = groups.values.filter { $0.count > level }.flatMap { tokens in
        inOrder(tokens).prefix(tokens.count - level)
      }
      if greedy.count >= count { return Array(inOrder(greedy).prefix(count)) }
      let taken = Set(greedy)
      let away = entries.keys.filter { entries[$0]?.owner == nil && !taken.contains($0) }
      return greedy + inOrder(away).prefix(count - greedy.count)
    }

    /// Returns how many sessions each address may keep, at least one, so that `wanted` can be taken from those that
    /// have more.
    private static func level(_ counts: [Int], toTake wanted: Int) -> Int {
      let counts = counts.sorted(by: >)
      var taken = 0
      for (index, count) in counts.enumerated() {
        let next = max(1, index + 1 < counts.count ? counts[index + 1] : 1)
        let more = (count - next) * (index + 1)
        if taken + more >= wanted {
          return count - (wanted - taken + index) / (index + 1)
        }
        taken += more
      }
      return 1
    }

    /// Sorts sessions: first those used for a moment only, then those away longest, then those with a connection.
    private func inOrder(_ tokens: [SessionToken]) -> [SessionToken] {
      func rank(_ token: SessionToken) -> (Int, WallTime) {
        guard let entry = entries[token] else { return (0, WallTime(nanoseconds: 0)) }
        let kind = entry.owner != nil ? 2 : entry.used < limits.brief ? 0 : 1
        return (kind, entry.record.lastSeen)
      }
      return tokens.map { ($0, rank($0)) }.sorted { $0.1 < $1.1 }.map(\.0)
    }

    /// Returns how many sessions of an address are connected, and how many of the address that has most.
    func connected(of address: AddressBlock?) -> (own: Int, most: Int) {
      var counts: [AddressBlock: Int] = [:]
      for entry in entries.values where entry.owner != nil {
        if let address = entry.address { counts[address, default: 0] += 1 }
      }
      return (address.flatMap { counts[$0] } ?? 0, counts.values.max() ?? 0)
    }

    /// Returns a connected session of the address that has most of them, other than this one.
    func connectedOfGreediest(but token: SessionToken) -> SessionToken? {
      let here = entries.filter { $0.value.owner != nil && $0.value.address != nil }
      let groups = Dictionary(grouping: here.keys) { here[$0]?.address }
      let most = groups.values.max { $0.count < $1.count } ?? []
      return inOrder(most).first { $0 != token }
    }
  }

  private let state = Mutex(State())

  /// Sessions with a connection and without one.
  var counts: (connected: Int, away: Int) {
    state.withLock { ($0.connected, $0.entries.count - $0.connected) }
  }

  func set(_ limits: SessionLimits) { state.withLock { $0.limits = limits } }

  /// Takes up stored sessions; a session that is there already wins.
  func restore(_ records: [SessionToken: SessionRecord]) {
    state.withLock { state in
      for (token, record) in records where state.entries[token] == nil {
        // How long the session was used is unknown; it counts as long.
        state.entries[token] = Entry(record: record, used: .infinity)
      }
    }
  }

  /// Sets the clock by which sessions end.
  func expire(by clock: ExpiryClock) { state.withLock { $0.clock = clock } }

  var records: [SessionToken: SessionRecord] {
    state.withLock { $0.entries.mapValues(\.record) }
  }

  /// Sessions that a listener took in the last seconds.
  func records(takenWithin seconds: Double, at now: Moment = .now()) -> [SessionToken:
    SessionRecord]
  {
    state.withLock { state in
      state.entries.compactMapValues { entry in
        guard let takenAt = entry.takenAt, now.sinceBoot.seconds(since: takenAt) <= seconds else {
          return nil
        }
        return entry.record
      }
    }
  }

  subscript(token: SessionToken) -> Entry? { entry(token, at: .now()) }

  func entry(_ token: SessionToken, at now: Moment) -> Entry? {
    state.withLock { state in
      state.entries[token].flatMap {
        state.isExpired($0, at: now, by: state.clock.now(at: now)) ? nil : $0
      }
    }
  }

  /// Returns what a session is to an address that names it. A restart forgets where sessions were shown.
  func familiarity(of token: SessionToken, to block: AddressBlock?) -> SessionFamiliarity {
    guard let entry = self[token] else { return .unknown }
    return block.map(entry.homes.contains) == true ? .own : .others
  }

  /// Notes that the token was shown from an address.
  func show(_ token: SessionToken, at block: AddressBlock?) {
    state.withLock { $0.entries[token]?.show(at: block) }
  }

  /// Seconds; see `SessionLimits`.
  var brief: Double { state.withLock { $0.limits.brief } }

  /// Whether there is a place for `token`. There is none when as many sessions as are kept have a connection, unless
  /// another address has more of them than this one would have.
  func hasRoom(for token: SessionToken, of address: AddressBlock?) -> Bool {
    state.withLock { state in
      if state.entries[token] != nil || state.connected < state.limits.sessionsMax { return true }
      let (own, most) = state.connected(of: address)
      return own + 1 < most
    }
  }

  /// Gives a session to a listener. No session that is away makes room for it: until a listener leaves, there may be
  /// more sessions than are kept.
  /// - Returns: the listener that had the session before.
  func claim(
    _ token: SessionToken, _ record: SessionRecord, by owner: Owner, at address: AddressBlock?,
    now: Moment = .now()
  ) -> Owner? {
    state.withLock { state in
      let before = state.entries[token]
      state.entries[token] = Entry(
        record: record, owner: owner, used: before?.used ?? 0, address: address,
        usedAt: now.sinceBoot, takenAt: now.sinceBoot, homes: before?.homes ?? [])
      state.entries[token]?.show(at: address)
      if before?.owner == nil { state.connected += 1 }
      if state.connected > state.limits.sessionsMax, before == nil,
        let other = state.connectedOfGreediest(but: token)
      {
        state.forget(other)
      }
      return before?.owner
    }
  }

  /// Changes a session's record; `seconds` says that its listener has gone after so long. Nothing is taken from a
  /// listener that has lost the session.
  func update(
    _ token: SessionToken, of listener: UInt64, goneAfter seconds: Double? = nil,
    now: Moment = .now(), _ change: (inout SessionRecord) -> Void
  ) {
    state.withLock { state in
      guard state.entries[token]?.owner?.listener == listener else { return }
      change(&state.entries[token]!.record)
      state.entries[token]!.usedAt = now.sinceBoot
      guard let seconds else { return }
      state.left(token, after: seconds)
      state.makeRoom()
    }
  }

  /// Begins a session before its listener comes; nothing happens where there is one.
  ///
  /// Where there are too many sessions, one is forgotten as when a listener leaves: perhaps this one.
  func begin(
    _ token: SessionToken, _ record: SessionRecord, at address: AddressBlock?, now: Moment = .now()
  ) {
    state.withLock { state in
      guard state.entries[token] == nil else { return }
      state.entries[token] = Entry(record: record, address: address, usedAt: now.sinceBoot)
      state.entries[token]?.show(at: address)
      state.makeRoom()
    }
  }

  /// Moves a session without a connection; false when it has one by now.
  func move(
    _ token: SessionToken, to record: SessionRecord, now: Moment = .now()
  ) -> Bool {
    state.withLock { state in
      guard let entry = state.entries[token], entry.owner == nil else { return false }
      state.entries[token]?.record = record
      state.entries[token]?.usedAt = now.sinceBoot
      return true
    }
  }

  /// Forgets sessions without a connection.
  func forgetAway() {
    state.withLock { state in state.entries = state.entries.filter { $0.value.owner != nil } }
  }

  /// Forgets sessions that have been away for too long.
  func forgetExpired(at now: Moment = .now()) { state.withLock { $0.forgetExpired(at: now) } }
}
