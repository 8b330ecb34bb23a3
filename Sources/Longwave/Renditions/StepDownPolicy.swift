import Server
import Timeshift
import Wire

/// Says which listeners go on with a rendition of fewer bits, where their station says `step-down: true`, and when they
/// come back. The relay carries the moves out.
final class StepDownPolicy {
  private let stations: StationTable
  private var listeners = StepDown()

  init(_ stations: StationTable) { self.stations = stations }

  /// Returns where a listener goes after a change; nil where it stays.
  func move(after change: ListenerEvent) -> StepDown.Move? {
    switch change.change {
    case .exhausted:
      guard let steps = steps(beside: change.station) else { return nil }
      return listeners.exhausted(change.id, at: change.station, steps, now: .now())
    case .disconnected: listeners.forget(change.id)
    case .connected, .skipped, .fileComplete: break
    }
    return nil
  }

  /// Removes and returns the moves of listeners that have had fewer bits for long enough to try more.
  func due() -> [StepDown.Move] { listeners.isIdle ? [] : listeners.due(at: .now()) }

  /// Forgets a listener that could not be moved.
  func forget(_ listener: UInt64) { listeners.forget(listener) }

  /// Returns a programme's station and renditions whose audio a player takes in place of what it plays; nil where
  /// listeners stay as they are.
  private func steps(beside id: String) -> [StepDown.Step]? {
    guard let station = stations[id], let format = station.log?.snapshot().format,
      let home = stations[station.definition.renditionOf ?? id], home.definition.stepsDown
    else { return nil }
    return ([home] + stations.renditions(of: home.id)).compactMap { step in
      guard !step.isStopped, let shown = step.log?.snapshot() else { return nil }
      // A rendition that has made nothing yet is tried.
      if let own = shown.format, own != format { return nil }
      return StepDown.Step(
        station: step.id,
        bitrate: step.definition.madeBitrate ?? Int(bounded: shown.bitrate.rounded()))
    }
  }
}
