import Ingest
import Programmes
import Synchronization
import Timeshift
import Wire

/// A station's counts since the relay was started.
package struct StationCounts: Sendable {
  /// Seconds in which it was to play, and was connecting, buffering or failed.
  package var offAirSeconds = 0.0
  /// Seconds that upstreams did not send again after they had gone, and those that they did.
  package var lostSeconds = 0.0
  package var stitchedSeconds = 0.0
  package var gaps: [GapCause: UInt64] = [:]
  package var losses: [UpstreamLoss: UInt64] = [:]
  package var titles: UInt64 = 0
  /// Seconds of the window that were given up since the disk was full.
  package var givenUpSeconds = 0.0
  package var programme = ProgrammeCounts()

  package init() {}
}

/// A programme's counts since the relay was started.
package struct ProgrammeCounts: Sendable {
  /// Items that began, by kind and join.
  var items: [ItemSort: UInt64] = [:]
  package var failures: UInt64 = 0
  /// Items for which a part of `separate` could not be kept.
  var relaxed: [Relaxed: UInt64] = [:]
  package var missed: UInt64 = 0
  /// Seconds of files' own packets.
  package var passedSeconds = 0.0
  /// Seconds of what was made to fit.
  package var madeSeconds = 0.0
  package var lateSeconds = 0.0

  struct ItemSort: Hashable, Sendable {
    var kind: TitleItem.Kind
    var join: Join
  }

  /// How many items there were of each kind with each join, none among them.
  package var allItems: [(kind: String, join: String, count: UInt64)] {
    TitleItem.Kind.allCases.flatMap { kind in
      Join.allCases.map { join in
        (kind.rawValue, join.rawValue, items[ItemSort(kind: kind, join: join)] ?? 0)
      }
    }
  }

  package var allRelaxed: [(word: String, value: UInt64)] {
    Relaxed.allCases.map { ($0.rawValue, relaxed[$0] ?? 0) }
  }

  fileprivate mutating func note(_ event: ProgrammeEvent) {
    switch event {
    case .started(let item, _):
      items[ItemSort(kind: item.kind, join: item.join), default: 0] &+= 1
      for rule in item.relaxed { relaxed[rule, default: 0] &+= 1 }
    case .failed: failures &+= 1
    case .missed: missed &+= 1
    case .passedThrough(let seconds): passedSeconds += max(0, seconds)
    case .made(let seconds): madeSeconds += max(0, seconds)
    case .late(let seconds): lateSeconds += max(0, seconds)
    case .part, .changed, .liveStarted, .liveStopped: break
    }
  }
}

/// Counts what happens to the stations. Any thread tells it.
final class StationLedger: Sendable {
  private struct Account {
    var counts = StationCounts()
    /// When the station went off air; nil while it plays or is not to play.
    var offAirSince: MonotonicTime?

    mutating func enter(_ state: StationState, at now: MonotonicTime) {
      switch state {
      case .connecting, .buffering, .failed: offAirSince = offAirSince ?? now
      case .playing, .paused, .stopped:
        counts.offAirSeconds += offAirSince.map { max(0, now.seconds(since: $0)) } ?? 0
        offAirSince = nil
      }
    }
  }

  private let accounts = Mutex<[String: Account]>([:])

  func note(_ event: IngestEvent, of station: String, at now: MonotonicTime = .now()) {
    accounts.withLock { accounts in
      switch event {
      case .state(let state, _): accounts[station, default: Account()].enter(state, at: now)
      case .title: accounts[station, default: Account()].counts.titles &+= 1
      case .gap(let gap):
        accounts[station, default: Account()].counts.gaps[gap.cause, default: 0] &+= 1
      case .upstreamLeft(let loss):
        accounts[station, default: Account()].counts.losses[loss, default: 0] &+= 1
      case .reconnected(let reconnection):
        accounts[station, default: Account()].counts.lostSeconds += max(0, reconnection.lostSeconds)
        accounts[station]?.counts.stitchedSeconds += max(0, reconnection.stitchedSeconds)
      case .httpError, .badContent, .missingContent, .notFound, .timeout, .tooSlow, .tooFast,
        .fileComplete,
        .headers, .upstreamChanged, .programSaid, .programEnded, .metadataFailed, .failure,
        .saidGoodbye:
        break
      }
    }
  }

  func note(_ event: ProgrammeEvent, of station: String) {
    accounts.withLock { $0[station, default: Account()].counts.programme.note(event) }
  }

  /// Notes that a station is not to play any more: a rendition, or one that never began, does not say so itself.
  func stopped(_ station: String, at now: MonotonicTime = .now()) {
    accounts.withLock { $0[station]?.enter(.stopped, at: now) }
  }

  func gaveUp(_ media: MediaTime, of station: String) {
    accounts.withLock {
      $0[station, default: Account()].counts.givenUpSeconds += max(0, media.seconds)
    }
  }

  /// Returns the counts of all stations, with the time off air up to now.
  func counts(at now: MonotonicTime = .now()) -> [String: StationCounts] {
    accounts.withLock { accounts in
      accounts.mapValues { account in
        var account = account
        account.enter(.playing, at: now)
        return account.counts
      }
    }
  }

  /// Forgets stations that are gone.
  func keep(only isThere: (String) -> Bool) {
    accounts.withLock { accounts in accounts = accounts.filter { isThere($0.key) } }
  }
}
