import Timeshift

// What becomes of the packets that were held, and what is told of it.
extension Appender {
  func settle(_ verdict: Stitcher.Verdict, at now: Moment, acceptsGap: Bool) {
    switch verdict {
    case .hold:
      return
    case .matched(let drop, let away, let paused):
      settleMatch(drop, away: away, paused: paused, at: now)
      return flush(besides: drop.lowerBound, at: now)
    case .gap(let seconds, let drop, let overlap, let repeated):
      guard acceptsGap else { return }
      if !isBehindFile {
        settleGap(seconds, drop: drop, overlap: overlap, repeated: repeated, at: now)
      }
      tail.restartPace()
    }
    flush(at: now)
  }

  private func settleMatch(
    _ drop: Range<Int>, away: Double, paused: Double, at now: Moment
  ) {
    let inserted = held.seconds(before: drop.lowerBound)
    dropKnown(drop)
    // Behind what is no part of it, the programme goes on as it was.
    if inserted > 0 { markGap(seconds: 0, cutsTail: false) }
    report(
      .reconnected(
        Reconnection(
          stitchedSeconds: away - paused, lostSeconds: 0, insertedSeconds: inserted,
          pausedSeconds: paused)))
    // What the upstream stood still, it is not ahead.
    if paused > 0 { tail.restartPace() }
    // Nothing behind what the log has: so far the upstream has come, and no further.
    if held.packets.count <= drop.lowerBound { tail.upstreamEndedHere(at: now.sinceBoot) }
  }

  private func settleGap(
    _ seconds: Double, drop: Int, overlap: Double, repeated: Double, at now: Moment
  ) {
    let away = tail.away(at: now.sinceBoot)
    held.forget(0..<drop)
    markGap(seconds: seconds)
    report(
      .reconnected(
        Reconnection(
          stitchedSeconds: drop > 0 ? max(0, away - seconds) : 0, lostSeconds: seconds,
          overlapSeconds: overlap, repeatedSeconds: repeated)))
  }

  /// Lets go of packets that the log has. A title that it had there counts again behind another one.
  func dropKnown(_ numbers: Range<Int>) {
    let last = held.lastTitle(among: numbers)
    let isOld = last.map { titles.isOld($0.title, bytes: $0.bytes, before: edge) } ?? false
    let isShown = held.lastTitle(among: 0..<numbers.lowerBound) == nil
    held.forget(numbers, keepsTitle: !(isOld && isShown))
  }

  /// - Parameter cutsTail: what comes next does not follow what came.
  func markGap(seconds: Double, cutsTail: Bool = true) {
    let cause = gapCause == .upstreamAway && seconds <= 0 ? .upstreamJumped : gapCause
    writer.markGap(seconds: seconds, cause: cause)
    isBesides = false
    if cutsTail { tail.cut() }
    report(.gap(GapMark(position: edge, seconds: seconds, cause: cause)))
  }

  /// The burst whose end the verdict did not wait for is over: what it brought of the past was heard again.
  func tellRest() {
    let repeated = rest?.heardAgain(burstMax: settings.stitch.burstMax) ?? 0
    rest = nil
    guard repeated >= Stitcher.heardAgainMin else { return }
    report(
      .reconnected(Reconnection(stitchedSeconds: 0, lostSeconds: 0, repeatedSeconds: repeated)))
  }
}
