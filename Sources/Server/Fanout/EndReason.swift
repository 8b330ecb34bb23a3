/// Why a listener's connection ended.
public enum EndReason: String, Hashable, Sendable {
  case clientGone = "client-gone"
  case tooSlow = "too-slow"
  case pauseTimeout = "pause-timeout"
  case kicked
  /// A newer connection took up the listener's session.
  case replaced
  case banned
  /// Changed rules do not let the client listen.
  case denied
  case listeningTime = "listening-time"
  case stationStopped = "station-stopped"
  case formatChanged = "format-changed"
  /// The listener is a relay that stands at a gap: it comes back to be told how long that is.
  case relayGap = "relay-gap"
  /// All that was asked for of a file is sent, or the file cannot be read any more.
  case fileEnded = "file-ended"
  case draining
}
