import Foundation
import Ingest
import Logging
import Reactor
import Server
import Timeshift
import Wire

/// The server, and the settings and mounts that it gets from the relay.
///
/// Not Sendable: only the relay's actor has it.
final class Serving {
  /// Nil when the server does not run.
  private(set) var server: RelayServer?
  let tickets = TLSTicketKeys()
  /// The key of segments' paths where the configuration has none; nil until it is read from the database.
  var storedSecret: [UInt8]?
  private let stations: StationTable
  private let leftOut: LeftOutStations
  private let fallbacks: Fallbacks
  private let onDemand: OnDemand
  private let doors: ServerDoors
  private let events: EventHub
  private let logger: Logger
  private var authorities: StationAuthorities
  private var files = ServerFiles()
  private var watch = CertificateWatch()
  private var expiry = ExpiryWatch()

  init(
    _ stations: StationTable, leftOut: LeftOutStations, fallbacks: Fallbacks, onDemand: OnDemand,
    authorities: StationAuthorities, doors: ServerDoors, events: EventHub, logger: Logger
  ) {
    self.events = events
    (self.stations, self.leftOut) = (stations, leftOut)
    (self.fallbacks, self.onDemand) = (fallbacks, onDemand)
    (self.authorities, self.doors, self.logger) = (authorities, doors, logger)
  }

  // MARK: Beginning and ending

  /// Reads the files of the configuration. Blocks.
  ///
  /// - Parameter data: the data folder.
  func readFiles(data: String) throws(TLSFileError) {
    files.hidden = PathRules.hidden(stations.configuration, data: data)
    try files.readTLS(stations.configuration.server.tls, tickets)
    tellExpiry()
  }

  /// - Parameter server: a server made with `configuration`.
  func start(_ server: RelayServer, bans: [Ban]) async throws(ServerError) {
    followAuthorities()
    try await server.start(mounts: namedMounts(), bans: bans)
    self.server = server
    if let obstacle {
      logger.error(
        "\(obstacle); the relay keeps trying; until then commands need --server"
      )
    }
  }

  /// Why the administration's socket could not be made again, as it was said last.
  private var socketTrouble: String?

  /// Why the administration's socket is not there, and what to do; nil when it is, or is not wanted.
  var obstacle: String? {
    server?.unixSocketRefusal.map {
      "the administration's socket cannot be made: \($0); "
        + DiskAdvice.of($0.code, at: DiskAdvice.folder(of: doors.unixSocket ?? $0.on))
    }
  }

  /// Tries again to make the administration's socket, if it could not be made at the start.
  ///
  /// - Returns: whether it is there.
  func openRefusedSocket() async -> Bool {
    guard obstacle != nil else { return true }
    guard (try? await server?.openRefusedUnixSocket()) == true else { return false }
    logger.warning("the administration's socket, which could not be made before, is made now")
    return true
  }

  func stopAccepting() async { await server?.stopAccepting() }

  /// Ends every listener between two packets.
  func drain() async { await server?.drain() }

  /// Ends the server. Returns when the last report of a gone listener (`listener_remove`) is out, or has waited long
  /// enough.
  func end() async {
    await authorities.settle()
    server = nil
  }

  /// Makes the administration's socket again where its file is gone.
  func remakeSocket() async {
    do throws(ServerError) {
      if try await server?.remakeUnixSocket() == true {
        logger.warning(
          "the administration's socket was gone from the data folder; it is made again")
      }
      socketTrouble = nil
    } catch {
      let trouble = "the administration's socket is gone and cannot be made again: \(error)"
      if trouble != socketTrouble { logger.error("\(trouble)") }
      socketTrouble = trouble
    }
  }

  // MARK: What it is told

  /// Publishes to the server what there is to listen to.
  func publish() async {
    followAuthorities()
    guard let server else { return }
    let before = server.listenersMax
    let configuration = configuration
    server.setListenersMax(configuration.listenersMax)
    server.setConnectionLimits(configuration)
    if server.listenersMax < before { warnOfLimits() }
    await server.publish(mounts: namedMounts())
  }

  /// Publishes the settings of another configuration, whose files have been read.
  func use(_ read: ServerFiles) async {
    authorities.readFilesAgain()
    server?.set(stations.configuration.sessions)
    let before = Set(certificates)
    files = read
    tellTaken(since: before)
    tellExpiry()
    await server?.publish(configuration)
  }

  // MARK: Certificates

  /// The certificates that new connections get.
  var certificates: [TLSCertificate] { files.tls?.context.certificates ?? [] }

  /// Tells of certificates that end soon, or are not good now.
  func tellExpiry(at date: Date = Date()) {
    let now = Int64(bounded: date.timeIntervalSince1970)
    for certificate in expiry.news(of: certificates, at: now) {
      guard let concern = certificate.concern(now: date, days: ExpiryWatch.days[0]) else {
        continue
      }
      logger.warning("TLS: \(concern.text)")
      events.post(certificate.event(.certificateExpires))
    }
  }

  /// Tells of certificates that were not among those before.
  private func tellTaken(since before: Set<TLSCertificate>) {
    for certificate in certificates where !before.contains(certificate) {
      events.post(certificate.event(.certificateTaken))
    }
  }

  /// Whether the files of the certificates are to be read again; they have these stamps now.
  func hasChanged(_ stamps: [FileStamp?]) -> Bool { watch.look(stamps, taken: files.stamps) }

  /// Uses certificates that were read again, for later connections.
  func use(_ tls: Result<ServerFiles, TLSFileError>, of stamps: [FileStamp?]) async {
    switch tls {
    case .failure(let error):
      watch.refuse(stamps)
      logger.error("TLS: \(error.shown); the old certificate stays in use")
    case .success(let read):
      let before = Set(certificates)
      (files.tls, files.stamps) = (read.tls, read.stamps)
      logger.info("TLS: the changed certificates are in use")
      tellTaken(since: before)
      tellExpiry()
      await server?.publish(configuration)
    }
  }

  func warnOfLimits() { ServerLimits(stations).warn(server, logger) }

  /// The server's settings, without the mounts.
  var configuration: ServerConfiguration {
    ServerConfiguration(
      stations.configuration.server, doors, ServerLimits(stations), files,
      storedSecret: storedSecret)
  }

  private func followAuthorities() {
    authorities.follow(stations.inOrder.map { ($0.id, $0.definition.auth) })
  }

  /// The mounts to listen to; the logs learn their names.
  private func namedMounts() -> [Mount] {
    let mounts = stations.inOrder.map(mount) + leftOut.mounts
    doors.requests.name(Dictionary(mounts.map { ($0.station, $0.name) }) { first, _ in first })
    return mounts
  }

  private func mount(of station: RelayStation) -> Mount {
    let configuration = stations.configuration
    var mount = station.mount(configuration.listeners)
    mount.timeZone = stations.zone(of: station.definition)
    mount.authority = authorities.authority(of: station.id)
    mount.fallback = fallbacks.served(of: station.id)
    let others = [station.definition.fallback?.station, station.definition.renditionOf]
    mount.origins = others.compactMap { $0.flatMap { stations[$0]?.log } }
    mount.samples = doors.samples
    if station.definition.isPulled {
      let settings = station.definition.upstreamSettings(configuration.upstream)
      mount.prebuffer = MediaTime(seconds: settings.prebuffer)
    }
    mount.soundFrom = fallbacks.soundFrom(of: station.id)
    if let resting = station.restsWith.flatMap({ stations[$0] }) {
      mount.firstPacketTimeout = resting.definition.firstPacketTimeout(configuration.upstream)
      mount.demand = onDemand.demand(of: resting.id)
    }
    return mount
  }
}
