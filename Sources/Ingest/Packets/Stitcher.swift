import Timeshift

/// Finds the place in the log where an upstream goes on after a reconnect.
///
/// Upstreams send their newest seconds again to each new connection. The arriving packets must equal the log's tail as
/// a run up to its end; then what comes after is new, without a packet lost or twice. Several alignments are possible
/// where the audio repeats itself (silence, a jingle loop): the one that agrees best with the time away is right.
///
/// However long a run is, the clock must agree: a jingle played again has equally long runs. The new audio must be as
/// long as the upstream was away, within `lateMax` and `aheadMax`. An alignment that is further off is right in three
/// cases only. The run is longer than the distance at which it would have to be repeated; or it is longer than any
/// jingle; or the burst ends where the log does, so that the upstream has stood still.
///
/// Where nothing is equal, as between two encodings of one programme, the clock alone tells how much of the burst has
/// been heard. The stitcher knows packets by hash and length of time only; the worker holds their bytes until the
/// verdict.
struct Stitcher {
  enum Verdict: Hashable {
    /// Undecided; ask again when more has come, or at the deadline.
    case hold
    /// The arrived packets `drop` are in the log; those behind go on from it, `away` seconds after the tail.
    ///
    /// For `paused` of those seconds the upstream stood still. Packets in front of `drop` are new, and no part of the
    /// programme.
    case matched(drop: Range<Int>, away: Double, paused: Double = 0)
    /// Nothing joins: `seconds` were lost. The first `drop` packets have been heard before.
    ///
    /// These packets are `overlap` seconds by the clock in another encoding, or equal packets of a server that lags.
    /// `repeated` seconds are in the log and are heard again.
    case gap(seconds: Double, drop: Int = 0, overlap: Double = 0, repeated: Double = 0)
  }

  let settings: StitchSettings
  let tailEnd: StitchEnd
  let source: StitchSource
  var alignments: Alignments
  var burst: Burst
  var beginning: Beginning

  /// Makes a stitcher. `tail` is empty for another format, whose packets cannot be equal.
  init(
    tail: [UInt32], tailEnd: StitchEnd, settings: StitchSettings = StitchSettings(),
    source: StitchSource = StitchSource()
  ) {
    self.settings = settings
    self.tailEnd = tailEnd
    self.source = source
    burst = Burst(pause: source.roundTrip)
    beginning = Beginning(before: source.before)
    alignments = Alignments(tail: tail, settings: settings)
  }

  /// Whether nothing more is compared: endlessly repeating audio fits everywhere.
  var isExhausted: Bool { alignments.isExhausted }
  var steps: Int { alignments.steps }

  /// The first packets of the connection, by their hashes.
  var begins: [UInt32] { beginning.packets }

  /// Whether any arriving run equals the tail, or has equalled it up to its end.
  var hasAlignment: Bool { !alignments.isEmpty }

  /// The seconds of arrived audio that may be new; 0 while a proven run has not come to the tail's end.
  var newSecondsMax: Double {
    if !alignments.provenOpen.isEmpty { return 0 }
    let known = alignments.provenComplete.map(alignments.endSeconds).min() ?? 0
    return alignments.arrivedSeconds - max(known, heardAgain, 0)
  }

  /// The latest time to ask again; nil before the first packet.
  func deadline(at now: MonotonicTime) -> MonotonicTime? {
    guard let began = burst.began else { return nil }
    let times = [
      began.adding(settings.holdMax), burst.grewAt.adding(overAfter),
      burst.grewAt.adding(pauseMax), began.adding(holdLimit(at: now)),
    ]
    return times.filter { $0 > now }.min() ?? now.adding(settings.holdMax)
  }

  /// The seconds for which packets are held at most.
  private func holdLimit(at now: MonotonicTime) -> Double {
    let isAdvancing = burst.isGrowing(at: now) && !alignments.provenOpen.isEmpty
    return isAdvancing ? max(overlapHold, settings.advanceHoldMax) : overlapHold
  }

  private var overlapHold: Double {
    max(settings.holdMax, settings.overlapHoldMax, windowsSeconds)
  }

  /// The number of windows in which a burst comes, each twice as long as the one before: six have 900 KB.
  private static let windows = 6.0
  private var windowsSeconds: Double { Self.windows * source.roundTrip }

  /// Notes an arrived packet.
  mutating func arrive(_ hash: UInt32, seconds: Double, at now: MonotonicTime) {
    burst.arrive(seconds: seconds, at: now)
    alignments.arrive(hash, seconds: seconds)
    beginning.arrive(hash)
  }

  // MARK: The verdict

  /// The verdict at `now`. `isFinal`: nothing more will come.
  func verdict(at now: MonotonicTime, isFinal: Bool = false) -> Verdict {
    guard let began = burst.began else { return .hold }
    let runs = alignments.runs
    if alignments.open.isEmpty, runs.count == 1, alignments.isProven(runs[0]),
      agrees(runs[0], at: now), tailIsLong || isOver(at: now)
    {
      return matched(runs[0], at: now)
    }
    let held = now.seconds(since: began)
    guard held >= settings.holdMax || isFinal else { return .hold }
    let isAwaiting = !isFinal && held < holdLimit(at: now)
    let isOver = isFinal || isOver(at: now)
    // Silence and loops are equal in many places; only the whole of a burst tells which is right.
    if !isFinal, !isOver, held < overlapHold, alignments.areSeveral { return .hold }
    let candidates = runs + (isAwaiting ? alignments.provenOpen : [])
    guard let best = nearest(candidates, at: now, isOver: isOver) else {
      return unjoined(at: now, held: held, isFinal: isFinal)
    }
    if !alignments.isComplete(best) { return .hold }
    // More of the burst may make up for the clock's difference.
    if isAwaiting, !isOver, alignments.isProven(best), !isCertain(best, at: now) { return .hold }
    return matched(best, at: now)
  }

  /// The verdict if no alignment fits. While the burst still grows, it may be longer than the time away.
  private func unjoined(at now: MonotonicTime, held: Double, isFinal: Bool) -> Verdict {
    // Audio of the same upstream may be older than the tail, which is short behind a gap.
    let isLapping = lap > 0 && (source.hasPast || !tailIsLong)
    let isWorthWaiting =
      isLapping
      ? held < lapHold(held, at: now)
      : source.hasPast && held < max(Self.growthHoldMax, windowsSeconds)
    if !isFinal, isWorthWaiting, !isTooLong, burst.isGrowing(at: now) { return .hold }
    if !isFinal, let given = givenUp(at: now) { return given }
    // The audio that the log was behind by did not come either.
    let away = away(at: now) + tailEnd.behind
    let drop = dropByClock
    let overlap = alignments.seconds[drop]
    return .gap(
      seconds: max(0, away - alignments.arrivedSeconds + overlap), drop: drop, overlap: overlap,
      repeated: alignments.proven.map(alignments.runSeconds).max() ?? 0)
  }

  /// The seconds that are missing in front of all that has arrived, by the clock.
  func secondsLost(at now: MonotonicTime) -> Double {
    max(0, away(at: now) + tailEnd.behind - alignments.arrivedSeconds)
  }

  /// The seconds for which a burst in another encoding is held, if its beginning has been heard.
  ///
  /// From a line at least twice as fast as the programme, the wait's silence is shorter than the audio that would be
  /// heard again. But whether the burst reaches the log's end is unknown before it is over.
  private func lapHold(_ held: Double, at now: MonotonicTime) -> Double {
    let isFast = source.hasPast && burst.arrived >= 2 * held
    return isFast ? max(holdLimit(at: now), settings.lapHoldMax) : holdLimit(at: now)
  }

  /// The rest of a burst whose heard part the clock has told; nil if no more of it is to come.
  func rest(at now: MonotonicTime) -> BurstRest? {
    guard source.hasPast, burst.isGrowing(at: now) else { return nil }
    return BurstRest(burst, lap: lap, pauseMax: overAfter)
  }

  /// The verdict if the arriving audio is in the log and has not come to its end in time. The rest is heard again, and
  /// reported.
  ///
  /// The arrived packets are left out, if they are too long for a repetition within the programme.
  private func givenUp(at now: MonotonicTime) -> Verdict? {
    let open = alignments.provenOpen.filter { error($0, at: now) < 0 }
    guard let best = open.max(by: { error($0, at: now) < error($1, at: now) }) else { return nil }
    let run = alignments.runSeconds(best)
    let isSame = run > abs(error(best, at: now)) || run >= settings.certainRun
    guard isSame else { return nil }
    return .gap(
      seconds: 0, drop: alignments.arrived, repeated: max(0, -alignments.newSeconds(best)))
  }

  /// Seconds for which a burst that has not reached back to the log's end may still grow.
  private static let growthHoldMax = 1.5

  /// The number of arrived packets that will be left out, whatever else comes.
  ///
  /// `isNearest`: if the alignment now nearest to the clock is right.
  func known(isNearest: Bool, at now: MonotonicTime) -> Int {
    let viable = alignments.proven.filter { isViable($0, at: now, isOver: false) }
    guard !viable.isEmpty else { return source.hasPast ? dropByClock : 0 }
    let ends = (isNearest ? [nearest(viable, at: now, isOver: false) ?? viable[0]] : viable)
      .map { alignments.front(of: $0) > 0 ? 0 : alignments.end(of: $0) }
    return min(alignments.arrived, ends.min() ?? 0)
  }

  /// The seconds of the burst that were on air while the log was being written, by the clock.
  private var heardAgain: Double { source.hasPast ? lap : 0 }

  private var lap: Double {
    guard let began = burst.began else { return 0 }
    return burst.lead - began.seconds(since: tailEnd.heardAt) - tailEnd.behind
  }

  var isTooLong: Bool { burst.lead > settings.burstMax }

  // The clock is no more exact than this, in seconds.
  static let heardAgainMin = 0.5

  private var dropByClock: Int {
    let again = heardAgain
    guard again >= Self.heardAgainMin, !isTooLong else { return 0 }
    let seconds = alignments.seconds
    return (seconds.firstIndex { $0 > again } ?? seconds.count) - 1
  }

  /// The verdict at the connection's end. `before`: how many connections in a row ended as soon.
  func endVerdict(before: Int, at now: MonotonicTime) -> Verdict {
    let verdict =
      before > 0
      ? lastVerdict(isPatient: before < Self.patience, at: now) : verdict(at: now, isFinal: true)
    guard case .gap(let seconds, _, _, _) = verdict, burst.lead < Self.certainBurst else {
      return verdict
    }
    // If the audio is too short to be a burst, it is unknown whether it was on air before.
    return .gap(seconds: seconds)
  }

  /// Seconds; servers send bursts of 2 or more.
  private static let certainBurst = 2.0

  /// The verdict if nothing more comes, as at the connection before: audio that is certainly new is accepted.
  ///
  /// Held if the log may have all of it. If the log has the beginning, the shortest run counts that is not one packet
  /// over and over.
  private func lastVerdict(isPatient: Bool, at now: MonotonicTime) -> Verdict {
    let final = verdict(at: now, isFinal: true)
    guard case .gap = final else { return final }
    let isCutShort = { isPatient && self.isCutShort($0, at: now) }
    if mayHaveAll(at: now) || alignments.open.contains(where: isCutShort) { return .hold }
    let joint = alignments.complete
      .filter { alignments.isVaried($0) && (isInTime($0, at: now) || isCutShort($0)) }
      .min { abs(error($0, at: now)) < abs(error($1, at: now)) }
    return joint.map { matched($0, at: now) } ?? final
  }

  /// The number of short connections after which the audio of an endlessly repeating upstream is heard.
  private static let patience = 4

  /// Whether the burst was still coming when the connection was lost: how far it would have come is unknown to the
  /// clock.
  private func isCutShort(_ alignment: Alignment, at now: MonotonicTime) -> Bool {
    (burst.isGrowing(at: now) || !burst.isFollowed) && alignments.isProven(alignment)
      && alignments.front(of: alignment) == 0 && error(alignment, at: now) < 0
  }

  /// Whether nothing of the arrived audio may be new.
  ///
  /// The clock must say so too, since silence and loops are in the log whenever they are on air; or the upstream sends
  /// the same each time.
  private func mayHaveAll(at now: MonotonicTime) -> Bool {
    (alignments.open + alignments.complete).contains {
      alignments.hasAll($0)
        && (beginning.isSame || mayCome($0, at: now) || isTooNearToRepeat($0, at: now))
    }
  }

  /// Whether a server lags by no more than it can make up in the time allowed.
  func mayCome(_ alignment: Alignment, at now: MonotonicTime) -> Bool {
    error(alignment, at: now) >= -settings.overlapHoldMax
  }

  /// The verdict for another connection's newest packets, while one still plays.
  ///
  /// Held only if a proven run has not come to the tail's end and will within the time allowed: the other connection is
  /// behind.
  func takeover(at now: MonotonicTime) -> Verdict {
    let best = nearest(alignments.proven, at: now, isOver: true)
    guard let best else { return .gap(seconds: 0) }
    if alignments.isComplete(best) { return matched(best, at: now) }
    let behind = -alignments.newSeconds(best)
    return behind < settings.overlapHoldMax - settings.holdMax
      ? .hold : .gap(seconds: 0, repeated: behind)
  }

  private func matched(_ alignment: Alignment, at now: MonotonicTime) -> Verdict {
    // If no clock tells the time away, the alignment's new audio does.
    let away =
      tailEnd.isDoubtful
      ? max(away(at: now), alignments.newSeconds(alignment)) : max(0, away(at: now))
    let late = -error(alignment, at: now)
    // With a burst that goes on beyond the log's end, the line may also be slow.
    let isStill = !burst.isGrowing(at: now) && (source.mayPause || standsStill(alignment))
    let paused = isStill && late > lateMax(at: now) ? min(away, late) : 0
    let drop = alignments.front(of: alignment)..<alignments.end(of: alignment)
    return .matched(drop: drop, away: away, paused: paused)
  }
}
