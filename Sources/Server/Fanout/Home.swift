import Timeshift

/// A listener's place in its station while it hears the fallback.
struct Home {
  var cursor: UInt64
  var runStart: UInt64
  var pace: Pace

  /// Keeps the place of a listener that goes to the fallback: it has heard its station to the end, so it is live.
  init(_ listener: Listener) {
    cursor = listener.cursor
    runStart = listener.runStart
    pace = listener.pace
    pace.becomeLive()
  }
}
