import Server
import Timeshift
import Wire

extension ListenerEvent {
  /// Returns what is told of a listener that came, went or was moved; its public part does not identify the listener.
  func told(at time: WallTime) -> RelayEvent {
    var told = RelayEvent(
      .listenerConnected, station: station, time: time, details: ["listener": JSON(id)],
      identity: ["address": .string(address), "player": JSON(player)])
    switch change {
    case .connected: break
    case .skipped: told.kind = .skipped
    case .exhausted(let seconds):
      told.kind = .exhausted
      told.details.append(.init(key: "seconds", value: .number(seconds)))
    case .fileComplete(let path):
      told.kind = .fileComplete
      told.details.append(.init(key: "path", value: .string(path)))
    case .disconnected(let reason):
      told.kind = .listenerDisconnected
      told.details += [
        .init(key: "reason", value: .string(reason.rawValue)),
        .init(key: "seconds", value: .number(seconds)),
        .init(key: "bytes", value: JSON(bytes)),
      ]
    }
    return told
  }
}

extension SessionEvent {
  /// Returns the event for the watchers of the session.
  func told(at time: WallTime) -> RelayEvent {
    var told = RelayEvent(.metadata, station: station, time: time)
    if let listener {
      told.details.append(.init(key: "listener", value: JSON(listener)))
    }
    switch change {
    case .heard(let title):
      let playing = NowPlaying(title)
      told.position = title.position
      told.details += [
        .init(key: "title", value: JSON(playing.title)),
        .init(key: "artist", value: JSON(playing.artist)),
        .init(key: "url", value: JSON(playing.url)),
      ]
    case .moved(let move):
      told.kind = .moved
      told.position = move.position
      told.details += [
        .init(key: "offset", value: .number(move.offset)),
        .init(key: "reason", value: .string(move.reason.rawValue)),
      ]
    }
    return told
  }
}
