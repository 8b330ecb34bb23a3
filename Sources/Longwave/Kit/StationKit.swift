import Logging
import Store
import Timeshift

/// The stations, with what stores, opens, fills and serves them.
///
/// Whatever changes stations — a command, a repair, a reload — says what they are to be; what follows is done here.
struct StationKit {
  let stations: StationTable
  let store: StationStore
  let loader: StationLoader
  let fillers: Fillers
  let recordings: RecordingRegister
  let serving: Serving
  let logger: Logger

  var logs: StationLogs { loader.logs }

  /// Opens a station of commands and begins it, unless it was stopped.
  ///
  /// - Parameter seconds: how long its folder may take.
  func adopt(
    new definition: StationDefinition, within seconds: Double = StationLogs.patience
  ) async throws(RelayError) {
    try await RelayError.attempt {
      try await loader.load([(definition: definition, origin: .command)], within: seconds)
    }
    await publish()
    await begin([definition.id])
  }

  /// Makes a station what a definition says. Listeners are served by it with the next `publish`.
  ///
  /// - Parameter old: the configuration that its window has been of.
  func adopt(
    _ definition: StationDefinition, _ origin: RelayStation.Origin, since old: Configuration
  ) async {
    let id = definition.id
    guard let station = stations[id] else { return }
    stations.set(\.definition, of: id, to: definition)
    stations.set(\.origin, of: id, to: origin)
    if let original = definition.original, original != station.definition.original {
      stations.followLog(of: original)
      await moveRecordings(of: id)
    }
    let (before, now) = (old.window(of: station.definition), stations.window(of: definition))
    if definition.hasOwnLog, (before == 0) != (now == 0) { await openAnotherLog(of: id) }
    if !station.isStopped { await fillers.update(id) }
  }

  /// Shares the disk among the stations that there are now, divides their logs, and publishes them to the server.
  func publish() async {
    stations.shareDisk()
    stations.divideLogs()
    await serving.publish()
  }

  /// Begins those of the stations that are not stopped.
  func begin(_ ids: [String]) async {
    for id in ids {
      if let station = stations[id], !station.isStopped { await fillers.begin(station) }
    }
  }

  /// Ends a station that is gone. Its log stays open.
  func end(_ station: RelayStation) async {
    // A station that replaces it has the same demand: its mount has that already.
    if stations[station.id]?.definition.rests != true { fillers.onDemand.forget(station.id) }
    await fillers.end(station)
    await recordings.stop(station: station.id)
  }
}
