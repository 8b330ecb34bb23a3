import Logging
import Reactor
import Server
import Store
import Timeshift
import Wire

/// Banned addresses, which outlive restarts.
///
/// Not Sendable: only the relay's actor has it.
final class BanList {
  /// Highest number of bans. More would be a firewall's work, since every request is checked against each ban.
  static let most = 10_000

  private let most: Int
  private let store: StationStore
  /// The clock that ends bans.
  private let clock: ExpiryClock
  private let logger: Logger
  private var kept: [BanRecord] = []

  init(_ store: StationStore, most: Int = BanList.most, clock: ExpiryClock, logger: Logger) {
    (self.store, self.most, self.clock, self.logger) = (store, most, clock, logger)
  }

  /// Reads the bans from before a restart.
  func load() async throws(StoreError) { kept = try await store.bans(now: clock.now()) }

  /// Bans that have not ended.
  var records: [BanRecord] {
    let now = clock.now()
    kept.removeAll { $0.hasEnded(at: now) }
    return kept
  }

  /// The bans as the server checks requests against them.
  var bans: [Ban] { records.map { Ban($0.range, until: $0.until) } }

  func holds(_ address: SocketAddress) -> Bool {
    let now = Moment.now().wall
    return bans.contains { $0.holds(address, at: now) }
  }

  /// Adds a ban, in place of one of the same range.
  func add(
    _ range: AddressRange, until: WallTime?, reason: String?
  ) async throws(RelayError) -> BanRecord {
    guard records.count < most || records.contains(where: { $0.range == range }) else {
      throw RelayError.tooManyBans(most)
    }
    let now = Moment.now().wall
    let id = try await RelayError.attempt {
      try await store.ban(range, from: now, until: until, reason: reason)
    }
    let added = BanRecord(id: id, range: range, createdAt: now, until: until, reason: reason)
    kept.removeAll { $0.range == range }
    kept.append(added)
    return added
  }

  /// Lifts a ban and returns it; nil when no ban has that number.
  func lift(_ id: Int64) async throws(RelayError) -> BanRecord? {
    guard let ban = records.first(where: { $0.id == id }) else { return nil }
    try await RelayError.attempt { try await store.liftBan(id) }
    kept.removeAll { $0.id == id }
    return ban
  }

  func logAdded(_ ban: BanRecord) {
    let end = ban.until.map { " until \($0.rfc3339)" } ?? ""
    logger.info("banned \(ban.range.text)\(end)\(ban.reason.map { ": \($0)" } ?? "")")
  }

  func logLifted(_ ban: BanRecord) { logger.info("\(ban.range.text) is banned no longer") }
}
