import Timeshift
import Wire

// Settles what becomes of held packets, and reports the result.
extension Appender {
  /// The latest time for the next call of `decide`.
  func deadline(at now: Moment) -> MonotonicTime? {
    guard case .stitching(let stitcher) = intake else { return nil }
    return stitcher.deadline(at: now.sinceBoot).map { now.monotonic(at: $0) }
  }

  /// Settles what can be settled, and shows the appended packets to listeners.
  func decide(at now: Moment, isFinal: Bool = false) {
    if !settleJoint(isFinal: isFinal, at: now), case .stitching(let stitcher) = intake {
      var verdict = stitcher.verdict(at: now.sinceBoot, isFinal: isFinal)
      // After a file there is nothing to wait for.
      if connection.isBehindFile, !stitcher.hasAlignment { verdict = .gap(seconds: 0) }
      if case .gap = verdict, !isFinal, awaitsIntro(at: now) { verdict = .hold }
      settle(verdict, at: now, acceptsGap: true)
      if case .direct = intake { (tooShort, before) = (0, stitcher.begins) }
      if case .gap = verdict, !connection.isBehindFile { rest = stitcher.rest(at: now.sinceBoot) }
    }
    if rest?.isOver(at: now.sinceBoot) == true { tellRest() }
    writer.publish(at: now)
  }

  /// Whether what has arrived may be left out as an intro.
  private func awaitsIntro(at now: Moment) -> Bool {
    guard let format = station.format else { return false }
    let packetsMin = settings.stitch.settings(for: format.codec).runMin
    return intro.isWorthWaiting(packetsMin: packetsMin, at: now.sinceBoot)
  }

  func settleLast(_ stitcher: Stitcher, at now: Moment) {
    var verdict = stitcher.endVerdict(before: tooShort, at: now.sinceBoot)
    if connection.isBehindFile, verdict == .hold { verdict = .gap(seconds: 0) }
    settle(verdict, at: now, acceptsGap: tooShort > 0 || connection.isBehindFile)
    if !connection.isBehindFile { (tooShort, before) = (min(tooShort + 1, 100), stitcher.begins) }
  }

  func settle(_ verdict: Stitcher.Verdict, at now: Moment, acceptsGap: Bool) {
    switch verdict {
    case .hold:
      return
    case .matched(let found, let away, let paused):
      speakers.spoke()
      let drop = isInLog(found.lowerBound) ? 0..<found.upperBound : found
      settleMatch(drop, away: away, paused: paused, at: now)
      return flush(besides: drop.lowerBound, at: now)
    case .gap(let seconds, let drop, let overlap, let repeated):
      guard acceptsGap else { return }
      if !connection.isBehindFile {
        settleGap(seconds, drop: drop, overlap: overlap, repeated: repeated, at: now)
      }
      tail.restartPace()
    }
    flush(at: now)
  }

  /// Whether the first `count` packets are in the log: a server that was away sends what was on air before.
  private func isInLog(_ count: Int) -> Bool {
    count > held.forgotten
      && tail.has(held.packets.prefix(count - held.forgotten).map(\.hash))
  }

  private func settleMatch(
    _ drop: Range<Int>, away: Double, paused: Double, at now: Moment
  ) {
    let inserted = held.seconds(before: drop.lowerBound)
    dropKnown(drop)
    // Behind audio that is no part of the programme, the programme goes on as it was.
    if inserted > 0 { markGap(seconds: 0, cutsTail: false) }
    report(
      .reconnected(
        Reconnection(
          stitchedSeconds: away - paused, lostSeconds: 0, insertedSeconds: inserted,
          pausedSeconds: paused)))
    // While the upstream stood still, the log did not fall behind.
    if paused > 0 { tail.restartPace() }
    // Without new packets behind the known ones, the upstream has come so far and no further.
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

  /// Drops packets that the log has. A title among them counts again if another title came since.
  func dropKnown(_ numbers: Range<Int>) {
    let last = held.lastTitle(among: numbers)
    let isOld = last.map { station.isOld($0.title, bytes: $0.bytes) } ?? false
    let isShown = held.lastTitle(among: 0..<numbers.lowerBound) == nil
    held.forget(numbers, keepsTitle: !(isOld && isShown))
  }

  /// - Parameter cutsTail: whether the next packet does not follow the last one.
  func markGap(seconds: Double, cutsTail: Bool = true) {
    let cause = gapCause == .upstreamAway && seconds <= 0 ? .upstreamJumped : gapCause
    station.markGap(seconds: seconds, cause: cause)
    if cutsTail { tail.cut() }
  }

  /// Reports what a burst repeated after the verdict, which had not waited for the burst's end.
  func tellRest() {
    let repeated = rest?.heardAgain(burstMax: settings.stitch.burstMax) ?? 0
    rest = nil
    guard repeated >= Stitcher.heardAgainMin else { return }
    report(
      .reconnected(Reconnection(stitchedSeconds: 0, lostSeconds: 0, repeatedSeconds: repeated)))
  }
}
