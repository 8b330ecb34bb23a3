import Ingest
import Logging
import Reactor
import Server
import Timeshift
import Wire

/// What the API needs to keep people out.
protocol BanControl: Sendable {
  /// Those that have not ended, in the order they were spoken in.
  func bans() async -> [BanRecord]
  func ban(_ ban: BanBody) async throws(APIError) -> BanRecord
  /// False: there is none of that number.
  func liftBan(_ id: Int64) async throws(APIError) -> Bool
}

// Addresses that get nothing any more, over restarts.
extension Relay: BanControl {
  /// More would be a firewall's work: every request is held against each.
  static let bansMax = 10_000

  func bans() -> [BanRecord] {
    let now = starts.expiry.now()
    keptBans.removeAll { $0.hasEnded(at: now) }
    return keptBans
  }

  func ban(_ ban: BanBody) async throws(APIError) -> BanRecord {
    let range = try await range(of: ban.target)
    await turnstile.enter()
    defer { turnstile.leave() }
    guard bans().count < Self.bansMax else {
      throw APIError(
        409, "too-many-bans", "There are \(Self.bansMax) bans; ban a range, or lift some.")
    }
    let now = Moment.now().wall
    let kept: BanRecord
    do throws(StoreError) {
      let id = try await store.ban(range, from: now, until: ban.until, reason: ban.reason)
      kept = BanRecord(
        id: id, range: range, createdAt: now, until: ban.until, reason: ban.reason)
    } catch {
      throw APIError.failed(error)
    }
    keptBans.removeAll { $0.range == range }
    keptBans.append(kept)
    await publishBans()
    let end = ban.until.map { " until \($0.rfc3339)" } ?? ""
    logger.info("banned \(range.text)\(end)\(ban.reason.map { ": \($0)" } ?? "")")
    return kept
  }

  func liftBan(_ id: Int64) async throws(APIError) -> Bool {
    await turnstile.enter()
    defer { turnstile.leave() }
    guard let ban = bans().first(where: { $0.id == id }) else { return false }
    do throws(StoreError) {
      try await store.liftBan(id)
    } catch {
      throw APIError.failed(error)
    }
    keptBans.removeAll { $0.id == id }
    await publishBans()
    logger.info("\(ban.range.text) is banned no longer")
    return true
  }

  /// Those kept from before a restart.
  func loadBans() async throws(StoreError) {
    keptBans = try await store.bans(now: starts.expiry.now())
  }

  /// Tells the server, which ends the listeners they concern, and ends such sources.
  func publishBans() async {
    let bans = serverBans
    await server?.publish(bans: bans)
    let now = Moment.now().wall
    let ended = await ingest.endSources("the source's address is banned") { address in
      bans.contains { $0.holds(address, at: now) }
    }
    for station in ended { logger.info("\(station): its source is ended, by a ban") }
  }

  func isBanned(_ address: SocketAddress) -> Bool {
    let now = Moment.now().wall
    return serverBans.contains { $0.holds(address, at: now) }
  }

  var serverBans: [Ban] { bans().map { Ban($0.range, until: $0.until) } }

  private func range(of target: BanBody.Target) async throws(APIError) -> AddressRange {
    switch target {
    case .range(let range): return range
    case .listener(let id):
      guard let listener = await listenerSnapshots().first(where: { $0.id == id }) else {
        throw APIError.unknownListener("\(id)")
      }
      guard let range = AddressRange(listener.address) else {
        throw APIError(
          409, "no-address", "Listener \(id) has come by the Unix socket, which cannot be banned.")
      }
      return range
    }
  }
}
