import Timeshift

/// Policy for a listener that does not keep up: no other listener notices, so only this one matters.
struct SlowListenerPolicy {
  enum Decision: Hashable {
    case wait
    /// Live, but stalled for longer than its burst: the listener keeps its place and is paced from now on.
    case place
    /// Forward, to where the listener should be.
    case skip
    case drop(EndReason)
  }

  var settings: ListenerSettings

  /// Decides by how far the listener is behind and how long it has stalled.
  ///
  /// - Parameters:
  ///   - lag: from the cursor to where the delivery rule wants it: the edge, or play point + burst.
  ///   - surge: seconds of a live listener's lag that came too fast for any listener, see `EdgeSurge`.
  ///   - stalled: seconds since the socket last took a byte.
  ///   - isBlocked: whether the socket takes nothing now; a skip then waits until it does, or the jumps would pile up.
  func decide(
    lag: MediaTime, burst: MediaTime, surge: Double, isPlaced: Bool, stalled: Double,
    isBlocked: Bool
  ) -> Decision {
    // A listener whose socket takes bytes again has come back.
    if isBlocked, settings.pauseTimeout > 0, stalled >= settings.pauseTimeout {
      return .drop(.pauseTimeout)
    }
    // What is left of the burst is no lag: a long burst takes its time on a slow line.
    let late = lag - burst - (isPlaced ? .zero : MediaTime(seconds: surge))
    let isTooFarBehind = late > settings.lagMax
    switch settings.behindAllowed {
    case .shift: return !isPlaced && late > .zero ? .place : .wait
    case .skip: return isTooFarBehind && !isBlocked ? .skip : .wait
    case .drop: return isTooFarBehind ? .drop(.tooSlow) : .wait
    }
  }
}
