import Server
import Timeshift
import Wire

// Listeners whose line is too slow go on with a rendition of fewer bits, where the station says `step-down: true`.
extension Relay {
  func followLine(of change: ListenerEvent) async {
    switch change.change {
    case .exhausted:
      guard let steps = steps(beside: change.station) else { return }
      let move = stepDown.exhausted(change.id, at: change.station, steps, now: .now())
      if let move { await carry(move) }
    case .disconnected: stepDown.forget(change.id)
    case .connected, .skipped, .fileComplete: break
    }
  }

  /// Tries more bits for listeners that have had fewer for long enough.
  func stepUp() async {
    if stepDown.isIdle { return }
    for move in stepDown.due(at: .now()) { await carry(move) }
  }

  /// Returns a programme's station and renditions whose audio a player takes in place of what it plays; nil where
  /// listeners stay as they are.
  private func steps(beside id: String) -> [StepDown.Step]? {
    guard let station = stations[id], let format = station.log?.snapshot().format,
      let home = stations[station.definition.renditionOf ?? id], home.definition.stepsDown
    else { return nil }
    return ([home] + stations.renditions(of: home.id)).compactMap { step in
      guard !step.isStopped, let shown = step.log?.snapshot() else { return nil }
      let bitrate = step.definition.renditionOf == nil ? nil : step.definition.encode?.bitrate
      // A rendition that has made nothing yet is tried.
      if let own = shown.format, own != format { return nil }
      return StepDown.Step(
        station: step.id, bitrate: bitrate ?? Int(bounded: shown.bitrate.rounded()))
    }
  }

  /// Times that a rendition on demand is asked whether it has something to play, and seconds in between.
  private static let moveAttempts = 20
  private static let movePause = 0.25

  private func carry(_ move: StepDown.Move) async {
    await onDemand.wake(move.station)
    // Other reports must not wait for a rendition that begins.
    Task { [weak self, server = serving.server] in
      for _ in 0..<Self.moveAttempts {
        switch await server?.move(listener: move.listener, to: move.station) {
        case .nothingToPlay: try? await Task.sleep(for: .seconds(Self.movePause))
        case .moved: return await self?.pauseWhenUnwanted()
        case .unknownListener, .otherCodec, nil: return await self?.forget(move)
        }
      }
      await self?.forget(move)
    }
  }

  private func pauseWhenUnwanted() {
    for id in stations.order { onDemand.pauseWhenUnwanted(id) }
  }

  private func forget(_ move: StepDown.Move) {
    stepDown.forget(move.listener)
    pauseWhenUnwanted()
  }
}
