import Logging
import Server
import Wire

/// Repairs stations that a start has left out, or tries them again.
struct LeftOutRepair {
  let stations: StationTable
  let leftOut: LeftOutStations
  let rules: StationRules
  let paths: StationPaths
  let fallbackRules: FallbackRules
  let store: StationStore
  let loader: StationLoader
  let fillers: Fillers
  let windows: StationWindows
  let serving: Serving
  let logger: Logger

  /// Loads a station again that was left out.
  func tryAgain(_ id: String) async throws(RelayError) {
    let definition = try leftOut.definition(of: id)
    try rules.refuseTakenPaths(definition)
    try rules.refuseBadCopy(definition)
    let format = try await fallbackRules.newFormat(of: definition)
    try fallbackRules.refuseBad(definition, file: format)
    logger.warning("\(id): tried again")
    do throws(StoreError) {
      try await loader.load([(definition: definition, origin: .command)])
    } catch {
      throw RelayError.failed(by: error)
    }
    stations.shareDisk()
    await serving.publish()
    if let station = stations[id], !station.isStopped { await fillers.begin(station) }
  }

  /// Changes the definition of a station that is left out; the station stays left out.
  func change(_ id: String, by patch: JSON, from origin: Peer) async throws(RelayError) {
    let before = try leftOut.definition(of: id)
    let changed = try StationBody.patched(before, with: patch)
    try await paths.refuseBad(changed, since: before, from: origin)
    try await leftOut.change(changed)
  }

  func remove(_ id: String) async throws(RelayError) {
    do throws(StoreError) {
      try await store.remove(id)
    } catch {
      throw RelayError.failed(by: error)
    }
    do {
      leftOut.takeOut(id)
      await serving.publish()
      try await windows.remove(id, nil)
    } catch {
      throw RelayError.failed(by: error)
    }
    logger.info("\(id): removed")
  }
}
