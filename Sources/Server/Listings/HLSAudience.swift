import Reactor
import Synchronization
import Threads
import Timeshift
import Wire

/// Tells one listener of HLS from others: a hash, since nothing else of it is needed.
struct HLSListener: Hashable, Sendable {
  private let hash: Int

  /// The keys of a query that are not the same in each request of a player.
  private static let changing: Set = ["_HLS_msn", "_HLS_skip", "_HLS_part", "CMCD"]

  /// Players are told apart by the session that they tell, else by address and name. Where an authority decides, all
  /// that it decides by counts as well.
  init(_ head: HTTPRequestHead, _ client: Peer, at mount: Mount) {
    var hasher = Hasher()
    hasher.combine(mount.station)
    let session = CMCD.session(head.query, head.fields)
    hasher.combine(session)
    if session == nil || mount.authority != nil {
      hasher.combine(client.host)
      hasher.combine(head.fields["User-Agent"])
    }
    if mount.authority != nil {
      hasher.combine(head.fields["Authorization"])
      hasher.combine(head.fields["Cookie"])
      for item in head.query.items where !Self.changing.contains(item.key) { hasher.combine(item) }
    }
    hash = hasher.finalize()
  }
}

/// Who listens by HLS. Such listeners have no connection: they are known by the playlists that they ask for.
final class HLSAudience: Sendable {
  private struct Entry {
    let counters: MountCounters
    let client: Peer
    let since: MonotonicTime
    var until: MonotonicTime
    var ticket: ListenerTicket?
    /// Until when the authority's verdict counts.
    var admittedUntil: MonotonicTime
  }

  private struct State {
    var entries: [HLSListener: Entry] = [:]
    var nextSweep = MonotonicTime(nanoseconds: .min)
  }

  private let state = Mutex(State())
  /// Orders tickets.
  private let handover = Handover()

  /// More are refused.
  private static let entriesMax = 100_000
  /// Seconds after which an authority is asked again.
  private static let verdictSeconds = 600.0

  var count: Int { state.withLock(\.entries.count) }
  var isEmpty: Bool { count == 0 }

  /// Whether an authority has let the listener in lately.
  func isAdmitted(_ listener: HLSListener, at now: MonotonicTime) -> Bool {
    state.withLock { state in
      guard let entry = state.entries[listener] else { return false }
      return entry.until > now && entry.admittedUntil > now
    }
  }

  /// Notes that a listener is still there; false for one that is not known.
  ///
  /// - Parameter ticket: a newer one, which takes the older one's place.
  func renew(
    _ listener: HLSListener, until: MonotonicTime, ticket: ListenerTicket?, at now: MonotonicTime
  ) -> Bool {
    handover.give()
    let (isKnown, old) = state.withLock { state -> (Bool, (ListenerTicket, MonotonicTime)?) in
      guard var entry = state.entries[listener] else { return (false, nil) }
      entry.until = max(entry.until, until)
      var old: (ListenerTicket, MonotonicTime)?
      if let ticket {
        old = entry.ticket.map { ($0, entry.since) }
        entry.ticket = ticket
        entry.admittedUntil = Self.admittedUntil(ticket, now)
      }
      state.entries[listener] = entry
      return (true, old)
    }
    handover.receive()
    if let (old, since) = old { old.whenOver?(now.seconds(since: since)) }
    return isKnown
  }

  /// Adds a listener whose places are reserved; false where there is no room, or another loop was first.
  func add(
    _ listener: HLSListener, _ client: Peer, _ counters: MountCounters, ticket: ListenerTicket?,
    until: MonotonicTime, at now: MonotonicTime
  ) -> Bool {
    handover.give()
    let isAdded = state.withLock { state in
      guard state.entries.count < Self.entriesMax, state.entries[listener] == nil else {
        return false
      }
      state.entries[listener] = Entry(
        counters: counters, client: client, since: now, until: until, ticket: ticket,
        admittedUntil: Self.admittedUntil(ticket, now))
      return true
    }
    if isAdded { counters.hlsJoined() }
    return isAdded
  }

  private static func admittedUntil(
    _ ticket: ListenerTicket?, _ now: MonotonicTime
  ) -> MonotonicTime {
    let limit = ticket?.timeMax ?? 0
    return now.adding(limit > 0 ? min(limit, verdictSeconds) : verdictSeconds)
  }

  private static let second: Int64 = 1_000_000_000

  /// Once a second, whichever loop comes first: gives back what listeners had that have gone.
  ///
  /// - Parameter release: gives back the place of a client at the server.
  func sweep(at now: MonotonicTime, release: (Peer) -> Void) {
    let gone = state.withLock { state -> [Entry] in
      guard now >= state.nextSweep, !state.entries.isEmpty else { return [] }
      state.nextSweep = now.adding(nanoseconds: Self.second)
      let gone = state.entries.filter { $0.value.until <= now }
      for key in gone.keys { state.entries[key] = nil }
      return Array(gone.values)
    }
    handover.receive()
    for entry in gone {
      entry.counters.hlsLeft()
      entry.counters.releasePlace()
      release(entry.client)
      entry.ticket?.whenOver?(now.seconds(since: entry.since))
    }
  }
}
