import Timeshift

// What the clock says about alignments.
extension Stitcher {
  /// The seconds since the log's last packet came; for a doubtful end, the fewest possible.
  func away(at now: MonotonicTime) -> Double {
    now.seconds(since: tailEnd.isDoubtful ? tailEnd.knownAt : tailEnd.heardAt)
  }

  /// How many seconds more than the time away are new; negative for fewer. 0 if that agrees with all that is known.
  func error(_ alignment: Alignment, at now: MonotonicTime) -> Double {
    let new = alignments.newSeconds(alignment)
    let most = now.seconds(since: tailEnd.heardAt) + tailEnd.lag
    return new > most ? new - most : min(0, new - now.seconds(since: tailEnd.knownAt))
  }

  func lateMax(at now: MonotonicTime) -> Double {
    let away = max(0, now.seconds(since: tailEnd.heardAt))
    return settings.lateMax + min(settings.driftMax, settings.drift * away) + tailEnd.pause
  }

  func isInTime(_ alignment: Alignment, at now: MonotonicTime) -> Bool {
    // A source that sends without end has no clock.
    let aheadMax = isTooLong ? Double.infinity : settings.aheadMax
    return (-lateMax(at: now)...aheadMax).contains(error(alignment, at: now))
  }

  /// Whether the alignment is right as far as the clock can tell, whatever else fits.
  func agrees(_ alignment: Alignment, at now: MonotonicTime) -> Bool {
    abs(error(alignment, at: now)) <= settings.lateMax
  }

  /// Whether more of the burst cannot change the alignment.
  func isCertain(_ alignment: Alignment, at now: MonotonicTime) -> Bool {
    isInTime(alignment, at: now) || isTooLongToRepeat(alignment, at: now)
  }

  /// Whether the alignment cannot be a jingle that is played again.
  func isTooLongToRepeat(_ alignment: Alignment, at now: MonotonicTime) -> Bool {
    isTooNearToRepeat(alignment, at: now)
      || alignments.runSeconds(alignment) >= settings.certainRun
  }

  /// Whether the stretch is longer than its distance: it cannot be a repetition then, except in loops, which the tail
  /// shows.
  func isTooNearToRepeat(_ alignment: Alignment, at now: MonotonicTime) -> Bool {
    alignments.overlapSeconds(alignment) > abs(error(alignment, at: now))
  }

  /// Whether the upstream sent a burst at once that ends where the log does.
  ///
  /// In silence and loops some alignment always ends there, and another one further back fits as well.
  func standsStill(_ alignment: Alignment) -> Bool {
    let end = alignments.end(of: alignment)
    guard (1...alignments.arrived).contains(end), burst.lead >= Self.burstMin,
      alignments.proven.count == 1
    else { return false }
    let seconds = alignments.seconds
    let packet = seconds[end] - seconds[end - 1]
    return abs(seconds[burst.packetsInIt] - seconds[end]) <= max(Self.burstEndTolerance, packet)
  }

  /// Seconds.
  private static let burstMin = 1.0
  private static let burstEndTolerance = 0.25

  func isOver(at now: MonotonicTime) -> Bool {
    burst.quiet(at: now) >= overAfter
  }

  var overAfter: Double { burst.overAfter(settings.holdMax) }

  /// Whether the tail is long enough for a burst to begin in it, so that every alignment is known from the first packet
  /// on.
  var tailIsLong: Bool { alignments.tailSeconds >= settings.burstMax }

  /// Finds the alignment that leaves as much new audio as time has passed since the tail's end.
  ///
  /// An unproven alignment must agree with the clock: silence repeats a packet or two. A late one must be too long to
  /// be a repetition, or end where a finished burst does. While more of a burst may come, it is kept.
  func nearest(
    _ candidates: [Alignment], at now: MonotonicTime, isOver: Bool
  ) -> Alignment? {
    candidates.filter { isViable($0, at: now, isOver: isOver) }
      .min { abs(error($0, at: now)) < abs(error($1, at: now)) }
  }

  func isViable(_ alignment: Alignment, at now: MonotonicTime, isOver: Bool) -> Bool {
    let error = error(alignment, at: now)
    guard alignments.isProven(alignment) else { return abs(error) <= settings.weakTolerance }
    if isCertain(alignment, at: now) { return true }
    guard error < 0 else { return false }
    // On a long way a burst has pauses: audio that is in the log, and has not come to its end, goes on.
    let isAwaited =
      !alignments.isComplete(alignment)
      && (burst.quiet(at: now) < pauseMax || mayCome(alignment, at: now))
    let isSameAgain = alignments.hasAll(alignment) && beginning.isSame
    let mayGrow = !isOver && -error <= settings.burstMax - burst.lead
    return source.mayPause || mayGrow || isAwaited || isSameAgain || standsStill(alignment)
  }

  /// The longest pause in a burst, in seconds.
  var pauseMax: Double { max(Self.unknownPause, overAfter) }
  private static let unknownPause = 1.5
}
