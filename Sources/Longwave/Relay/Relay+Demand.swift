import Ingest
import Server

// Stations on demand: pulled while somebody listens, and a while longer.
extension Relay {
  /// Somebody asks to listen to a station.
  func wanted(_ id: String) async {
    guard let station = stations[id], station.definition.rests, !station.isStopped else {
      return
    }
    await ingest.resume(station: id)
    // Whoever asked may wait so long for the first packet, and is no listener until then.
    let patience = station.definition.firstPacketTimeout(configuration.upstream) ?? 0
    pauseWhenUnwanted(id, after: max(station.definition.runOn, patience + 1))
  }

  /// A listener has left, or nobody has come yet.
  func pauseWhenUnwanted(_ id: String) {
    guard let station = stations[id], station.definition.rests else { return }
    pauseWhenUnwanted(id, after: station.definition.runOn)
  }

  private func pauseWhenUnwanted(_ id: String, after seconds: Double) {
    let due = ContinuousClock.now + .seconds(seconds)
    // Not earlier than somebody who waits for a first packet was promised.
    if let later = demands[id], later > due { return }
    demands[id] = due
    Task { [weak self] in
      try? await Task.sleep(for: .seconds(seconds))
      await self?.pauseIfUnwanted(id, due: due)
    }
  }

  private static let lookSeconds = 10.0

  private func pauseIfUnwanted(_ id: String, due: ContinuousClock.Instant) async {
    guard demands[id] == due else { return }
    demands[id] = nil
    guard let station = stations[id], station.definition.rests, station.counters.now == 0
    else { return }
    let isRecorded = await recordingDesk.stations.contains(id)
    if isRecorded || isFallbackInUse(id) {
      // Until it ends.
      return pauseWhenUnwanted(id, after: max(station.definition.runOn, Self.lookSeconds))
    }
    await ingest.pause(station: id)
  }
}
