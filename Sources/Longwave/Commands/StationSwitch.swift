import Wire

/// Starts, stops and restarts stations by command.
struct StationSwitch {
  let stations: StationTable
  let store: StationStore
  let pulls: StationPulls
  let serving: Serving

  func perform(_ command: StationCommand, on id: String) async throws(RelayError) {
    let station = try stations.station(id)
    switch command {
    case .stop: try await setStopped(true, station)
    case .start: try await setStopped(false, station)
    case .restart:
      await pulls.end(id)
      try await setStopped(false, station)
      if !station.isStopped { await pulls.begin(station) }
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
      await pulls.end(station.id)
    } else {
      await pulls.begin(station)
    }
  }
}
