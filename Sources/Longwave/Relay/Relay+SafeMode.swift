import Ingest
import Logging
import Server
import Timeshift
import Wire

// A start with less than what is stored, after several that the relay did not survive; and how it is repaired.
extension Relay {
  /// Says it loudly, and puts aside what is left out.
  func enterSafeMode() async throws(StoreError) {
    guard let safeMode else { return }
    leftOut = try await store.stations(suspectedSince: safeMode.stationsSince)
    let ids = leftOut.map(\.id).joined(separator: ", ")
    logger.critical(
      """
      started \(safeMode.text). \
      Left out: \(leftOut.isEmpty ? "no station" : "the stations \(ids)"). Nothing is deleted. \
      longwave station start ID tries a station again, station edit and station remove repair it; \
      record stop ID and listener forget take off recordings and sessions; an orderly restart tries \
      everything again
      """)
  }

  /// What `/readyz` and `longwave stats` say; nil: nothing is left out.
  var safeModeText: String? {
    safeMode.map { mode in
      "started \(mode.text)"
        + (leftOut.isEmpty ? "" : "; left out: \(leftOut.map(\.id).joined(separator: ", "))")
    }
  }

  func isLeftOut(_ id: String) -> Bool { leftOut.contains { $0.id == id } }

  /// As lists show it: its definition may be what is not survived, so only its id is known.
  func leftOutSnapshot(_ id: String) -> StationSnapshot {
    var shown = StationSnapshot(id: id, sid: 0, name: id, state: .stopped)
    shown.stateReason =
      "left out of this start, since the relay died at the last ones; start it to try it again"
    return shown
  }

  /// Where its listeners come to: it is stopped, not gone.
  func leftOutMount(_ id: String) -> Mount {
    Mount(station: id, content: .nothing, isStopped: true)
  }

  /// Takes one up again that was left out.
  func takeUp(_ id: String) async throws(APIError) {
    guard let stored = leftOut.first(where: { $0.id == id }) else { return }
    guard let json = JSON.parse(Array(stored.json.utf8)) else { throw APIError.badJSON }
    let definition = try StationBody.stored(json)
    try refuseTakenPaths(definition)
    try refuseBadCopy(definition)
    try refuseBadFallback(definition, file: try await newFallbackFormat(of: definition))
    logger.warning("\(id): tried again")
    do throws(StoreError) {
      try await load([(definition: definition, origin: .command)])
    } catch {
      throw APIError.failed(error)
    }
    leftOut.removeAll { $0.id == id }
    shareDisk()
    await publish()
    if let station = stations[id], !station.isStopped { await pull(station) }
  }

  /// Changes the definition of one that is left out, and leaves it so.
  func changeLeftOut(
    _ id: String, by patch: JSON, from origin: APIRequest.Origin
  ) async throws(APIError) -> StationSnapshot {
    guard let index = leftOut.firstIndex(where: { $0.id == id }),
      let json = JSON.parse(Array(leftOut[index].json.utf8))
    else { throw APIError.badJSON }
    let before = try StationBody.stored(json)
    let changed = try StationBody.patched(before, with: patch)
    try await refusePaths(of: changed, since: before, from: origin)
    do throws(StoreError) {
      try await store.save(changed)
    } catch {
      throw APIError.failed(error)
    }
    leftOut[index].json = changed.json.text
    logger.info("\(id): changed, and still left out")
    return leftOutSnapshot(id)
  }

  func removeLeftOut(_ id: String) async throws(APIError) {
    do {
      try await store.remove(id)
      leftOut.removeAll { $0.id == id }
      await publish()
      try await removeWindow(of: id, nil)
    } catch {
      throw APIError.failed("\(error)")
    }
    logger.info("\(id): removed")
  }

  func stopLeftOut(_ id: String) async throws(APIError) -> StationSnapshot {
    do throws(StoreError) {
      try await store.setStopped(true, station: id)
    } catch {
      throw APIError.failed(error)
    }
    return leftOutSnapshot(id)
  }
}
