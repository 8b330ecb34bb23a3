import Logging
import Reactor
import Server
import Threads
import Timeshift

// What programmes play, and what people do to them.
extension Relay {
  /// Returns what a programme plays, has played and is to play.
  package func programme(of id: String) async throws(RelayError) -> ProgrammeSnapshot {
    try await programmes.snapshot(of: try stations.station(id))
  }

  /// Carries a command to a programme out, and returns the programme behind it.
  package func perform(
    _ command: ProgrammeCommand, onProgramme id: String, from origin: Peer
  ) async throws(RelayError) -> ProgrammeSnapshot {
    let station = try stations.station(id)
    _ = try ProgrammeFiller.programme(of: station)
    if case .queue(let tracks, _) = command, origin != .unixSocket {
      for case .path(let path) in tracks { try await stationPaths.refuseRemote(path, as: "path") }
    }
    let isMoved = try await programmes.perform(command, on: station)
    var shown = try await programmes.snapshot(of: station)
    if isMoved {
      let settings = station.definition.listenerSettings(configuration.listeners)
      // So much lies in the buffer of a live listener's player.
      shown.heardAfter = settings.burst.seconds
    }
    logger.info("\(id): \(command.words)")
    return shown
  }

  /// Changes a programme's rules beside its definition, and returns the programme behind it.
  package func changeRules(
    of id: String, by body: JSON
  ) async throws(RelayError) -> ProgrammeSnapshot {
    await turnstile.enter()
    defer { turnstile.leave() }
    let station = try stations.station(id)
    try await programmes.change(station, by: body)
    return try await programmes.snapshot(of: station)
  }

  /// Returns what a programme would play in some time.
  package func rehearsal(
    of id: String, from: WallTime?, seconds: Double
  ) async throws(RelayError) -> ProgrammeRehearsal {
    try await programmes.rehearsal(of: try stations.station(id), from: from, seconds: seconds)
  }
}
