import Server
import Timeshift
import Wire

extension RelayEvent {
  /// Returns the event for the watchers of a session.
  static func event(of event: SessionEvent, time: WallTime) -> RelayEvent {
    var told = RelayEvent(.metadata, station: event.station, time: time)
    if let listener = event.listener {
      told.details.append(.init(key: "listener", value: JSON(listener)))
    }
    switch event.change {
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
