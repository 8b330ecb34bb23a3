import Logging
import Server
import Store
import Wire

/// Repairs stations that a start has left out, or tries them again.
struct LeftOutRepair {
  let kit: StationKit
  let leftOut: LeftOutStations
  let rules: StationRules

  /// Loads a station again that was left out.
  func tryAgain(_ id: String) async throws(RelayError) {
    let definition = try leftOut.definition(of: id)
    let format = try await rules.fallbacks.newFormat(of: definition)
    try rules.refuseBad(definition, file: format)
    kit.logger.warning("\(id): tried again")
    try await kit.adopt(new: definition)
  }

  /// Changes the definition of a station that is left out; the station stays left out.
  func change(_ id: String, by patch: JSON, from origin: Peer) async throws(RelayError) {
    let before = try leftOut.definition(of: id)
    let changed = try StationBody.patched(before, with: patch)
    try await rules.paths.refuseBad(changed, since: before, from: origin)
    try await leftOut.change(changed)
  }

  func remove(_ id: String) async throws(RelayError) {
    try await RelayError.attempt { try await kit.store.remove(id) }
    leftOut.remove(id)
    await kit.serving.publish()
    try await RelayError.attempt { try await kit.removeLog(id, nil) }
    kit.logger.info("\(id): removed")
  }
}
