import Server

/// Stations on demand: their logs are filled while there is a reason, and a while longer. A rendition that is not on
/// demand itself wakes and rests with its original, and shares its demand; what is wanted of it is wanted of both.
///
/// Not Sendable: only the relay's actor has it.
final class OnDemand {
  private let stations: StationTable
  private let fillers: FillerTable
  private let recordings: RecordingRegister
  private let samples: SampleMaker
  private let tell: @Sendable (Demand.Call, _ station: String) -> Void
  /// Called when it is time to check whether a station is still wanted.
  var whenDue: @Sendable (_ station: String) async -> Void = { _ in }
  private var demands: [String: Demand] = [:]

  /// - Parameter tell: called with what requests ask of a station; must not block.
  init(
    _ stations: StationTable, fillers: FillerTable, recordings: RecordingRegister,
    samples: SampleMaker, tell: @escaping @Sendable (Demand.Call, _ station: String) -> Void
  ) {
    (self.stations, self.fillers, self.recordings) = (stations, fillers, recordings)
    (self.samples, self.tell) = (samples, tell)
  }

  /// Returns the demand that a station on demand shares with its requests, and with those of renditions that rest with
  /// it.
  func demand(of id: String) -> Demand {
    if let demand = demands[id] { return demand }
    let demand = Demand { [tell] in
      tell($0, id)
    } whenDue: { [whenDue] in
      await whenDue(id)
    }
    demands[id] = demand
    return demand
  }

  /// Acts on a call from a station's requests.
  func follow(_ call: Demand.Call, of id: String) async {
    demands[id]?.follow(call)
    switch call {
    case .wanted: await wake(id, isCommand: false)
    case .abandoned: demands[id]?.runOn(Self.graceSeconds, keeps: false)
    }
  }

  /// Wakes a station for a command: a listener is about to be moved to it.
  func wake(_ id: String) async { await wake(id, isCommand: true) }

  /// Wakes a station on demand that is being recorded.
  func wake(ifRecorded id: String) async {
    if await recordings.stations.contains(id) { await wake(id) }
  }

  private func wake(_ wanted: String, isCommand: Bool) async {
    let id = stations[wanted]?.restsWith ?? wanted
    guard let station = stations[id], station.definition.rests, !station.isStopped else {
      demands[id]?.set(isRunning: false)
      return
    }
    demand(of: id).set(isRunning: true)
    for part in parts(of: station) where !part.isStopped { await fillers[part]?.resume(part.id) }
    await wakeNeeded(by: station)
    // A request may wait that long for the first packet, and is no listener until then.
    let patience =
      station.definition.firstPacketTimeout(stations.configuration.upstream) ?? 0
    demands[id]?.runOn(patience + 1, keeps: isCommand, isSooner: false)
  }

  /// Schedules a check of a station after a listener has left, or before the first one has come.
  func pauseWhenUnwanted(_ id: String) {
    guard let station = stations[id]?.restsWith.flatMap({ stations[$0] }) else { return }
    demands[station.id]?.runOn(station.definition.runOn, keeps: true)
  }

  /// Seconds until the check after a player has gone before the first packet: it may be back at once, but the upstream
  /// is held no longer.
  private static let graceSeconds = 2.0
  private static let lookSeconds = 10.0

  /// A station on demand, and the renditions that rest with it.
  private func parts(of station: RelayStation) -> [RelayStation] {
    [station] + stations.renditions(of: station.id).filter { $0.restsWith == station.id }
  }

  /// Listeners of a station and of the renditions that rest with it, by stream and by HLS.
  private func places(of station: RelayStation) -> Int {
    parts(of: station).reduce(0) { $0 + $1.counters.places }
  }

  /// Whether a station that begins is to run at once.
  func isToRun(_ station: RelayStation) -> Bool {
    guard let resting = station.restsWith, station.counters.places == 0 else { return true }
    if resting != station.id { return demands[resting]?.isRunning == true }
    return places(of: station) > 0 || parts(of: station).contains { isNeeded($0.id) }
  }

  /// Pauses a station that nothing needs any more, and the renditions that rest with it.
  ///
  /// - Parameter isFallback: whether listeners of another station hear this one as its fallback.
  func look(at id: String, isFallback: (_ station: String) -> Bool) async {
    let recorded = await recordings.stations
    guard let station = stations[id], station.definition.rests, let demand = demands[id] else {
      return
    }
    let parts = parts(of: station)
    demand.set(.listener, places(of: station))
    demand.set(.recording, parts.count { recorded.contains($0.id) })
    demand.set(.fallback, parts.count { isFallback($0.id) })
    demand.set(.samples, parts.reduce(0) { $0 + samples.count(of: $1.id) })
    demand.set(.rendition, parts.count { isNeeded($0.id) })
    switch demand.look() {
    case .early: break
    case .wanted:
      // Look again later, until the listeners have gone.
      demand.runOn(max(station.definition.runOn, Self.lookSeconds), keeps: false)
    case .over:
      // A listener that came before the demand was over has not woken the station.
      if places(of: station) > 0 { return await wake(id, isCommand: false) }
      // Who asks meanwhile wakes all of them.
      for part in parts.reversed() where !demand.isRunning {
        await fillers[part]?.pause(part.id)
      }
    }
  }

  /// Wakes the stations that a station is made of, or plays.
  func wakeNeeded(by station: RelayStation) async {
    for id in station.definition.needed where id != station.id {
      // Programmes may name each other.
      let isNew = demands[id]?.isRunning != true
      if isNew || stations[id]?.definition.programme == nil { await wake(id, isCommand: false) }
    }
  }

  /// Whether a rendition of a station is made now by its own demand, or a programme that names it plays.
  func isNeeded(_ id: String) -> Bool {
    stations.byID.values.contains { other in
      guard other.id != id, other.restsWith != id, !other.isStopped, other.ownLog != nil,
        other.definition.needed.contains(id)
      else {
        return false
      }
      return other.restsWith.map { demands[$0]?.isRunning == true } ?? true
    }
  }

  /// Forgets a station that is gone, or rests no longer.
  func forget(_ id: String) { demands.removeValue(forKey: id)?.cancel() }

  /// Ends all checks.
  func cancel() {
    for demand in demands.values { demand.cancel() }
  }
}
