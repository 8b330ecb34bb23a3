import Timeshift

/// What is done about a listener that does not keep up: nobody else notices it, so it is only about itself.
struct SlowListenerPolicy {
  enum Decision: Hashable {
    case wait
    /// Live, but stalled for longer than its burst: it keeps its place and is paced from now on.
    case place
    /// Forward, to where it should be.
    case skip
    case drop(EndReason)
  }

  var settings: ListenerSettings

  /// - Parameters:
  ///   - lag: from the cursor to where the delivery rule wants it: the edge, or play point + burst.
  ///   - surge: seconds of what a live one is behind by that came too fast for anybody, see `EdgeSurge`.
  ///   - stalled: seconds since the socket last took a byte.
  ///   - isBlocked: whether the socket takes nothing now; a skip then waits until it does, or the jumps would pile up.
  func decide(
    lag: MediaTime, burst: MediaTime, surge: Double, isPlaced: Bool, stalled: Double,
    isBlocked: Bool
  ) -> Decision {
    // One that takes bytes again is there.
    if isBlocked, settings.pauseTimeout > 0, stalled >= settings.pauseTimeout {
      return .drop(.pauseTimeout)
    }
    // What it still has of its burst is no lag: a long burst takes its time on a slow line.
    let late = lag - burst - (isPlaced ? .zero : MediaTime(seconds: surge))
    let isTooFarBehind = late > settings.lagMax
    switch settings.behindAllowed {
    case .shift: return !isPlaced && late > .zero ? .place : .wait
    case .skip: return isTooFarBehind && !isBlocked ? .skip : .wait
    case .drop: return isTooFarBehind ? .drop(.tooSlow) : .wait
    }
  }
}

/// Why a listener's connection ended.
public enum EndReason: String, Hashable, Sendable {
  case clientGone = "client-gone"
  case tooSlow = "too-slow"
  case pauseTimeout = "pause-timeout"
  case kicked
  /// Its session was taken up by a newer connection.
  case replaced
  case banned
  /// Rules that have changed do not let it listen.
  case denied
  case listeningTime = "listening-time"
  case stationStopped = "station-stopped"
  case formatChanged = "format-changed"
  /// What it asked for of a file is sent.
  case fileEnded = "file-ended"
  case draining
}
