import Wire

/// Starts, stops and restarts stations by command.
struct StationSwitch {
  let stations: StationTable
  let store: StationStore
  let fillers: Fillers
  let serving: Serving

  func perform(_ command: StationCommand, on id: String) async throws(RelayError) {
    let station = try stations.station(id)
    switch command {
    case .stop: try await setStopped(true, station)
    case .start: try await setStopped(false, station)
    case .restart:
      await fillers.end(station)
      try await setStopped(false, station)
      if !station.isStopped { await fillers.begin(station) }
    }
  }

  /// Stops or starts a station; does nothing when it is stopped or started already.
  private func setStopped(_ isStopped: Bool, _ station: RelayStation) async throws(RelayError) {
    guard station.isStopped != isStopped else { return }
    do throws(StoreError) {
      try await store.setStopped(isStopped, station: station.id)
    } catch {
      throw RelayError.failed(by: error)
    }
    stations.set(\.isStopped, of: station.id, to: isStopped)
    await serving.publish()
    if isStopped {
      await fillers.end(station)
    } else {
      await fillers.begin(station)
    }
  }
}
