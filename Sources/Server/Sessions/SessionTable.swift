import Synchronization
import Timeshift
import Wire

/// A place in a station's log that is kept while nobody is connected, and over restarts.
public struct SessionRecord: Hashable, Sendable {
  public enum Place: Hashable, Sendable {
    case live
    /// Of the next packet, and when it was on air as far as that was known then: a log that began anew is told by it.
    /// `log`: the serial of the one it is in; nil: an earlier process's.
    case packet(at: UInt64, air: WallTime, log: UInt64?)
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
    /// Who was connected last. Nobody puts it down: after a restart it is nil until somebody comes, and each such
    /// session stands for itself.
    var address: AddressBlock?
    /// When it was last used, by the machine's own clock; nil: not by this process.
    var usedAt: MonotonicTime?
    /// Where its token was shown lately, the last one last.
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
    /// How many of them have somebody connected.
    var connected = 0
    var clock = ExpiryClock()

    /// A wall clock that was wrong when it was used says nothing: by the machine's own it may have been just now.
    ///
    /// - Parameter time: by which things expire now.
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

    /// Seconds: by less a clock is not set.
    private static let stepMin = 60.0

    /// When a session was used is told by the clock as it goes now: the next process knows no other one.
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

    /// Whoever is connected plays on, without a place that is kept.
    mutating func forget(_ token: SessionToken) {
      if entries.removeValue(forKey: token)?.owner != nil { connected -= 1 }
    }

    mutating func makeRoom() {
      let over = entries.count - limits.sessionsMax
      guard over > 0 else { return }
      // Some more of a large table, so that a look at all of it is paid for by as many who leave.
      for token in tokensToForget(max(over, limits.sessionsMax / 64)) { forget(token) }
    }

    /// Those of the addresses that have most, so that none has fewer because another has many; where none has more
    /// than one, those who are away.
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

    /// How many each address may keep, at least one, so that `wanted` are to be had of those that have more.
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

    /// First those who listened for a moment only, then those who are away longest, then those who are here.
    private func inOrder(_ tokens: [SessionToken]) -> [SessionToken] {
      func rank(_ token: SessionToken) -> (Int, WallTime) {
        guard let entry = entries[token] else { return (0, WallTime(nanoseconds: 0)) }
        let kind = entry.owner != nil ? 2 : entry.used < limits.brief ? 0 : 1
        return (kind, entry.record.lastSeen)
      }
      return tokens.map { ($0, rank($0)) }.sorted { $0.1 < $1.1 }.map(\.0)
    }

    /// How many of an address are connected, and how many of the address that has most.
    func connected(of address: AddressBlock?) -> (own: Int, most: Int) {
      var counts: [AddressBlock: Int] = [:]
      for entry in entries.values where entry.owner != nil {
        if let address = entry.address { counts[address, default: 0] += 1 }
      }
      return (address.flatMap { counts[$0] } ?? 0, counts.values.max() ?? 0)
    }

    /// The session of somebody who is connected, of the address that has most of them, other than this one.
    func connectedOfGreediest(but token: SessionToken) -> SessionToken? {
      let here = entries.filter { $0.value.owner != nil && $0.value.address != nil }
      let groups = Dictionary(grouping: here.keys) { here[$0]?.address }
      let most = groups.values.max { $0.count < $1.count } ?? []
      return inOrder(most).first { $0 != token }
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

  /// By whose time they end.
  func expire(by clock: ExpiryClock) { state.withLock { $0.clock = clock } }

  var records: [SessionToken: SessionRecord] {
    state.withLock { $0.entries.mapValues(\.record) }
  }

  subscript(token: SessionToken) -> Entry? { entry(token, at: .now()) }

  func entry(_ token: SessionToken, at now: Moment) -> Entry? {
    state.withLock { state in
      state.entries[token].flatMap {
        state.isExpired($0, at: now, by: state.clock.now(at: now)) ? nil : $0
      }
    }
  }

  /// What the session is to somebody who names it. Restarts forget where they were shown.
  func familiarity(of token: SessionToken, to block: AddressBlock?) -> SessionFamiliarity {
    guard let entry = self[token] else { return .unknown }
    return block.map(entry.homes.contains) == true ? .own : .others
  }

  /// Somebody has shown that they know it.
  func show(_ token: SessionToken, at block: AddressBlock?) {
    state.withLock { $0.entries[token]?.show(at: block) }
  }

  /// Seconds; see `SessionLimits`.
  var brief: Double { state.withLock { $0.limits.brief } }

  /// Whether there is a place for `token`: not where as many as are kept have somebody connected, unless another
  /// address has more of them than this one would have.
  func hasRoom(for token: SessionToken, of address: AddressBlock?) -> Bool {
    state.withLock { state in
      if state.entries[token] != nil || state.connected < state.limits.sessionsMax { return true }
      let (own, most) = state.connected(of: address)
      return own + 1 < most
    }
  }

  /// A listener has the session from now on. Nobody makes room for it who is away: until it leaves there may be more than
  /// are kept.
  /// - Returns: who had it.
  func take(
    _ token: SessionToken, _ record: SessionRecord, by owner: Owner, at address: AddressBlock?,
    now: Moment = .now()
  ) -> Owner? {
    state.withLock { state in
      let before = state.entries[token]
      state.entries[token] = Entry(
        record: record, owner: owner, used: before?.used ?? 0, address: address,
        usedAt: now.sinceBoot, homes: before?.homes ?? [])
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

  /// Where the session is now; `seconds`: its listener is gone after so long. Of one that lost it nothing is taken.
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

  /// Moves a session that nobody is connected to. False: somebody is, by now.
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

  /// Lets go of those that nobody is connected to.
  func forgetAway() {
    state.withLock { state in state.entries = state.entries.filter { $0.value.owner != nil } }
  }

  /// Lets go of what has been away for too long.
  func forgetExpired(at now: Moment = .now()) { state.withLock { $0.forgetExpired(at: now) } }
}

/// What a session is to an address that names it.
public enum SessionFamiliarity: Hashable, Sendable {
  /// Nobody has it.
  case unknown
  /// Somebody has it, and it has not been shown from there.
  case others
  /// It was shown from there lately, by who listens or by who steers it: guesses of others there do not count against
  /// it.
  case own
}

/// How many sessions there may be, and for how long they are kept.
public struct SessionLimits: Hashable, Sendable {
  public var sessionsMax = 10_000
  /// Seconds without a connection; 0: for ever.
  public var timeout = 86_400.0
  /// Seconds. One that was used for less makes room before others of its address: its listener has hardly a place to
  /// lose, and whoever invents tokens does not stay.
  public var brief = 10.0

  public init() {}
}
