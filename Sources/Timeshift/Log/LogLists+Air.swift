import Wire

// How times on air follow the clock.
extension LogLists {
  /// Returns whether anything has changed.
  mutating func keepTime(
    _ runStart: LogPoint?, _ draft: LogDraft, _ now: Moment
  ) -> Bool {
    if let runStart {
      draft.clock.startRun()
      draft.rate.startRun()
      let wall = now.wall - (edge.media - runStart.media)
      air.set(at: runStart, wall: wall, by: now)
      run = RunGrowth(beganAt: now.monotonic, grewAt: now.monotonic)
    }
    let predicted = air.wall(at: edge.media)
    let decision = draft.clock.decide(predicted: predicted, at: now)
    var settles = false
    if !draft.clock.isProvisional {
      draft.rate.published(edge: edge.media, at: now.monotonic)
      settles = run?.isSettled == false
      run?.isSettled = true
    }
    switch decision {
    case .keep: return runStart != nil || settles
    case .move(let distance):
      air.moveNewest(by: distance, at: now)
      if distance < -AirClock.growth { run?.grewAt = now.monotonic }
    case .anchor(let distance):
      let wall = predicted.adding(nanoseconds: distance)
      air.set(at: edge, wall: wall, by: now)
    }
    return true
  }
}
