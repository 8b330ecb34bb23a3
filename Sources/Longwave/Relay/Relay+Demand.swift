import Ingest
import Server

/// When a station on demand that is pulled is looked at again: one timer, however often that moves.
struct RestTimer {
  var due: ContinuousClock.Instant
  /// Until when it is pulled whoever goes: somebody has listened, or a command wants it.
  var keptUntil: ContinuousClock.Instant
  /// When `task` wakes up: at `due` or before.
  var wakesAt: ContinuousClock.Instant
  var task: Task<Void, Never>
}

// Stations on demand: pulled while somebody listens, and a while longer.
extension Relay {
  /// What a station on demand and its requests know of each other.
  func demand(of id: String) -> Demand {
    if let demand = demands[id] { return demand }
    let demand = Demand { [continuation = reports.continuation] in
      continuation.yield(.demand($0, station: id))
    }
    demands[id] = demand
    return demand
  }

  /// What its requests have told of a station.
  func follow(_ call: Demand.Call, of id: String) async {
    demands[id]?.follow(call)
    switch call {
    case .wanted: await wake(id, isCommand: false)
    case .abandoned: rest(id, after: Self.graceSeconds, keeps: false)
    }
  }

  /// Somebody is about to listen to a station, by command.
  func wanted(_ id: String) async { await wake(id, isCommand: true) }

  private func wake(_ id: String, isCommand: Bool) async {
    guard let station = stations[id], station.definition.rests, !station.isStopped else {
      demands[id]?.set(isRunning: false)
      return
    }
    demand(of: id).set(isRunning: true)
    await ingest.resume(station: id)
    // Whoever asked may wait so long for the first packet, and is no listener until then.
    let patience = station.definition.firstPacketTimeout(configuration.upstream) ?? 0
    rest(id, after: patience + 1, keeps: isCommand, isSooner: false)
  }

  /// A listener has left, or nobody has come yet.
  func pauseWhenUnwanted(_ id: String) {
    guard let station = stations[id], station.definition.rests else { return }
    rest(id, after: station.definition.runOn, keeps: true)
  }

  /// A player that goes before the first packet may be back at once; nobody's line is held for longer than that.
  private static let graceSeconds = 2.0
  private static let lookSeconds = 10.0

  /// - Parameters:
  ///   - keeps: it is pulled for so long whoever goes.
  ///   - isSooner: whether it may rest before it was to be looked at until now.
  private func rest(_ id: String, after seconds: Double, keeps: Bool, isSooner: Bool = true) {
    guard demands[id]?.isRunning == true else { return }
    var due = ContinuousClock.now + .seconds(seconds)
    var keptUntil = restTimers[id]?.keptUntil ?? .now
    if keeps { keptUntil = max(keptUntil, due) }
    if !isSooner, let before = restTimers[id]?.due { due = max(due, before) }
    look(at: id, due: max(due, keptUntil), keptUntil: keptUntil)
  }

  private func look(
    at id: String, due: ContinuousClock.Instant, keptUntil: ContinuousClock.Instant
  ) {
    if let timer = restTimers[id] {
      (restTimers[id]!.due, restTimers[id]!.keptUntil) = (due, keptUntil)
      if timer.wakesAt <= due { return }
      timer.task.cancel()
    }
    let task = Task { [weak self] in
      guard (try? await Task.sleep(until: due, clock: .continuous)) != nil else { return }
      await self?.lookAtRest(of: id)
    }
    restTimers[id] = RestTimer(due: due, keptUntil: keptUntil, wakesAt: due, task: task)
  }

  private func lookAtRest(of id: String) async {
    guard let timer = restTimers.removeValue(forKey: id) else { return }
    if timer.due > .now { return look(at: id, due: timer.due, keptUntil: timer.keptUntil) }
    guard let station = stations[id], station.definition.rests else { return }
    let isRecorded = await recordingDesk.stations.contains(id)
    if restTimers[id] == nil,
      station.counters.places > 0 || isRecorded || isFallbackInUse(id)
    {
      // Until they have gone.
      return rest(id, after: max(station.definition.runOn, Self.lookSeconds), keeps: false)
    }
    // Somebody may have woken it meanwhile.
    guard restTimers[id] == nil, let demand = demands[id] else { return }
    demand.set(isRunning: false)
    // Whoever came before that has not woken it.
    if station.counters.places > 0 { return await wake(id, isCommand: false) }
    await ingest.pause(station: id)
  }

  /// Of a station that is gone, or rests no longer.
  func forgetDemand(of id: String) {
    restTimers.removeValue(forKey: id)?.task.cancel()
    demands[id] = nil
  }
}
