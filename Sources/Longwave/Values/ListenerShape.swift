import Server
import Timeshift
import Wire

extension ListenerSnapshot {
  /// The listener as a JSON object, for administrators only.
  package var json: JSON {
    [
      "id": JSON(id), "station": .string(station), "address": .string(address),
      "user": JSON(user), "player": JSON(player), "protocol": .string(protocolName),
      "connectedAt": JSON(connectedAt), "seconds": .number(seconds), "bytes": JSON(bytes),
      "offset": JSON(offset), "lag": JSON(lag), "state": .string(state.rawValue),
      "session": JSON(session?.text),
      "nowPlaying": (title.map(NowPlaying.init) ?? NowPlaying()).json,
    ]
  }
}
