import Timeshift
import Wire

/// What counts as proof that arriving packets continue the log. Times are in seconds.
public struct StitchSettings: Hashable, Sendable {
  /// Packets that must be equal in a row, and how many of them must differ from each other: 20 s of digital silence
  /// by LAME are 768 frames, 6 of them distinct, in runs of 23 equal ones.
  public var runMin = 8
  public var distinctMin = 4
  /// How long packets are held while nothing is decided, and how long a burst must not have grown to be over.
  public var holdMax = 0.5
  /// How long they are held once a run is proven that has not come to the log's end: all of it is repetition, nobody
  /// misses anything, and a slow line needs its time for a long burst.
  public var overlapHoldMax = 5.0
  /// A run of too few distinct packets proves nothing; one that agrees this well with the clock is taken.
  public var weakTolerance = 1.0
  /// How much less new audio than time away an upstream may have: encoders, and servers of one encoder, are late.
  public var lateMax = 2.0
  /// As much again of the time away, for clocks that are slow, up to `driftMax`.
  public var drift = 0.05
  public var driftMax = 10.0
  /// How much more there may be: a queue that we were behind by, another server of the same encoder, a wall clock that
  /// was set back while the relay was down.
  public var aheadMax = 60.0
  /// A run this long is no jingle that is played again: the upstream has stood still.
  public var certainRun = 30.0
  /// The same of Ogg pages, which are a fifth of a second each: a piece from curl may hold no more than one of FLAC.
  public var pageRunMin = 3
  public var pageDistinctMin = 2
  /// Seconds of the log's newest audio that are compared: longer than any burst seen.
  public var tailSeconds = 120.0
  /// A longer burst is none: who sends so much at once sends a file, and its beginning is no past of a programme.
  public var burstMax = 75.0

  public init() {}

  /// As they are for audio of `codec`.
  func settings(for codec: Codec) -> StitchSettings {
    var settings = self
    if codec.isOgg { (settings.runMin, settings.distinctMin) = (pageRunMin, pageDistinctMin) }
    return settings
  }
}

/// Where the log's audio ends by the clock.
struct StitchEnd {
  /// When the last packet came.
  var heardAt: MonotonicTime
  /// Until when the upstream is known to have had nothing behind it: it answered with what the log has and no more.
  var knownAt: MonotonicTime
  /// How far the log was behind the upstream's programme, seconds: a slow line.
  var lag = 0.0

  init(_ heardAt: MonotonicTime, knownAt: MonotonicTime? = nil, lag: Double = 0) {
    self.heardAt = heardAt
    self.knownAt = max(heardAt, knownAt ?? heardAt)
    self.lag = lag
  }
}

/// Finds the place in the log where an upstream goes on after a reconnect.
///
/// Upstreams send their newest seconds again to whoever connects. The arriving packets must equal the log's tail as a
/// run up to its end; then what comes after is new, without a packet lost or twice. Several alignments are possible
/// where the audio repeats itself (silence, a jingle loop): the one that agrees best with the time away is right.
///
/// However long a run is, the clock must agree: a jingle that is played again has as much of it. What is new must be as
/// long as the upstream was away, within `lateMax` and `aheadMax`. An alignment that is further off is right in these
/// cases only: the run is longer than the distance at which it would have to be repeated; or it is longer than any
/// jingle; or the burst ends where the log does, so that the upstream has stood still.
///
/// Where nothing is equal, as between two encodings of one programme, the clock alone tells how much of the burst has
/// been heard. Packets are known by hash and length of time only; the worker holds their bytes until the verdict.
struct Stitcher {
  enum Verdict: Hashable {
    /// Not yet; ask again when more has come, or at the deadline.
    case hold
    /// The first `drop` arrived packets are in the log; the rest goes on from it, `away` seconds after the tail, for
    /// `paused` of which the upstream stood still.
    case matched(drop: Int, away: Double, paused: Double = 0)
    /// Nothing joins: `seconds` were lost. The first `drop` packets have been heard in another encoding, by the clock:
    /// `overlap` seconds. `repeated` seconds equal the log's end, and are taken for the same played again.
    case gap(seconds: Double, drop: Int = 0, overlap: Double = 0, repeated: Double = 0)
  }

  /// `shift` is the place in the tail that the first arriving packet has; negative when it is older than the tail.
  /// The alignment is complete when the arriving packets have reached the tail's end.
  private struct Alignment {
    var shift: Int
  }

  private let settings: StitchSettings
  private let tail: [UInt32]
  private let tailEnd: StitchEnd
  /// Whether what arrives may be the programme's past in packets that are equal to none.
  private let hasPast: Bool
  /// Whether who sends it may wait while nobody takes it: an encoder that pushes.
  private let mayPause: Bool
  /// Of the first n packets of the tail, up to `distinctMin`.
  private let tailDistinct: [Int]
  private let runNeeded: Int
  /// The tail's last packet is like no other of it: what arrives and begins with the tail's end, however little of it,
  /// goes on from there if the clock agrees.
  private let endIsUnique: Bool

  /// Alignments looked at. In 20 s of silence behind two minutes of it there are 3.5 million.
  private(set) var steps = 0
  private static let stepsMax = 8_000_000

  private var burst = Burst()
  /// Seconds of the first n arrived packets.
  private var seconds: [Double] = [0]
  private var distinct: [Int] = [0]
  private var seen: Set<UInt32> = []
  private var open: [Alignment] = []
  private var complete: [Alignment] = []

  /// `tail` is empty where nothing can be equal to it: another format.
  init(
    tail: [UInt32], tailEnd: StitchEnd, settings: StitchSettings = StitchSettings(),
    hasPast: Bool = true, mayPause: Bool = false
  ) {
    self.settings = settings
    self.tail = tail
    self.tailEnd = tailEnd
    self.hasPast = hasPast
    self.mayPause = mayPause
    tailDistinct = Self.countDistinct(tail, upTo: settings.distinctMin)
    runNeeded = min(settings.runMin, tail.count)
    endIsUnique = tail.count { $0 == tail.last } == 1
  }

  /// Nothing more is compared: audio that repeats itself without end fits everywhere.
  var isExhausted: Bool { steps > Self.stepsMax }

  /// Whether anything is equal to the tail, or was up to its end.
  var hasAlignment: Bool { !open.isEmpty || !complete.isEmpty }

  private var arrivedSeconds: Double { burst.arrived }
  private var arrived: Int { seconds.count - 1 }

  /// How much of what arrived may be new, seconds; nothing while a proven run has not come to the tail's end.
  var newSecondsMax: Double {
    if open.contains(where: isProven) { return 0 }
    let known = complete.filter(isProven).map { seconds[end(of: $0)] }.min()
    return arrivedSeconds - max(known ?? 0, heardAgain, 0)
  }

  /// When to ask again at the latest. nil before the first packet.
  func deadline(at now: MonotonicTime) -> MonotonicTime? {
    guard let began = burst.began else { return nil }
    let times = [
      began.adding(settings.holdMax), burst.grewAt.adding(settings.holdMax),
      began.adding(holdLimit),
    ]
    return times.filter { $0 > now }.min() ?? now.adding(settings.holdMax)
  }

  private var holdLimit: Double { max(settings.holdMax, settings.overlapHoldMax) }

  /// A packet has come.
  mutating func arrive(_ hash: UInt32, seconds length: Double, at now: MonotonicTime) {
    let place = arrived
    burst.arrive(seconds: length, at: now)
    if seen.count < settings.distinctMin { seen.insert(hash) }
    seconds.append(arrivedSeconds)
    distinct.append(seen.count)
    guard !isExhausted, !tail.isEmpty else { return open.removeAll() }
    steps += open.count + complete.count + (place == 0 ? tail.count : 1)
    open.removeAll { tail[$0.shift + place] != hash }
    if place == 0 {
      open = tail.indices.filter { tail[$0] == hash }.map { Alignment(shift: $0) }
    } else if tail[0] == hash {
      open.append(Alignment(shift: -place))
    }
    let reached = open.filter { $0.shift + place == tail.count - 1 }
    guard !reached.isEmpty else { return }
    complete += reached
    open.removeAll { $0.shift + place == tail.count - 1 }
  }

  // MARK: The verdict

  /// What is known at `now`. `isFinal`: nothing more will come.
  func verdict(at now: MonotonicTime, isFinal: Bool = false) -> Verdict {
    guard let began = burst.began else { return .hold }
    let runs = complete.filter { isLong($0) || endIsUnique }
    if open.isEmpty, runs.count == 1, isProven(runs[0]), agrees(runs[0], at: now),
      tailIsLong || isOver(at: now)
    {
      return matched(runs[0], at: now)
    }
    let held = now.seconds(since: began)
    guard held >= settings.holdMax || isFinal else { return .hold }
    let isAwaiting = !isFinal && held < holdLimit
    let isOver = isFinal || isOver(at: now)
    let candidates = runs + (isAwaiting ? open.filter(isProven) : [])
    guard let best = nearest(candidates, at: now, isOver: isOver) else {
      return unjoined(at: now, held: held, isFinal: isFinal)
    }
    if end(of: best) > arrived { return .hold }
    // More of the burst may make good what the clock misses.
    if isAwaiting, !isOver, isProven(best), !isCertain(best, at: now) { return .hold }
    return matched(best, at: now)
  }

  /// Nothing in the log is continued. While the burst still grows, it may be longer than the time away.
  private func unjoined(at now: MonotonicTime, held: Double, isFinal: Bool) -> Verdict {
    let isWorthWaiting = heardAgain > 0 ? held < holdLimit : held < Self.growthHoldMax
    if hasPast, !isFinal, isWorthWaiting, !isTooLong, isGrowing(at: now) { return .hold }
    let away = now.seconds(since: tailEnd.heardAt)
    let drop = dropByClock
    let repeated = complete.filter(isProven).map { seconds[end(of: $0)] }.max() ?? 0
    return .gap(
      seconds: max(0, away - arrivedSeconds + seconds[drop]), drop: drop, overlap: seconds[drop],
      repeated: repeated)
  }

  /// A burst that has not reached back to the log's end may still grow for so long, seconds.
  private static let growthHoldMax = 1.5
  /// How many arrived packets will be left out, whatever else comes. `isNearest`: if the alignment that is nearest to
  /// the clock now is right.
  func known(isNearest: Bool, at now: MonotonicTime) -> Int {
    let viable = (complete + open).filter { isProven($0) && isViable($0, at: now, isOver: false) }
    guard !viable.isEmpty else { return hasPast ? dropByClock : 0 }
    let ends = (isNearest ? [nearest(viable, at: now, isOver: false) ?? viable[0]] : viable)
      .map { end(of: $0) }
    return min(arrived, ends.min() ?? 0)
  }

  private func isGrowing(at now: MonotonicTime) -> Bool {
    burst.quiet(at: now) < Self.growthPause
  }

  /// Longer than the way there and back, of which a connection needs several for its first megabyte.
  private static let growthPause = 0.3

  /// How much of the burst was on air while the log was being written, by the clock.
  private var heardAgain: Double {
    guard hasPast, let began = burst.began else { return 0 }
    return burst.lead - began.seconds(since: tailEnd.heardAt) - tailEnd.lag
  }

  private var isTooLong: Bool { burst.lead > settings.burstMax }

  // The clock is no better than this.
  private static let heardAgainMin = 0.5

  private var dropByClock: Int {
    let again = heardAgain
    guard again >= Self.heardAgainMin, !isTooLong else { return 0 }
    return (seconds.firstIndex { $0 > again } ?? seconds.count) - 1
  }

  /// What is known where nothing more comes, and it was so the time before: what is in no doubt new is taken.
  ///
  /// Held: the log may have all of it. Where it has the beginning, the shortest run counts that is not one packet over
  /// and over.
  func lastVerdict(at now: MonotonicTime) -> Verdict {
    let final = verdict(at: now, isFinal: true)
    guard case .gap = final else { return final }
    if open.contains(where: { $0.shift >= 0 || isProven($0) }) { return .hold }
    if complete.contains(where: { end(of: $0) == arrived }) { return .hold }
    let joint = complete.filter { run(of: $0).distinct >= 2 && isInTime($0, at: now) }
      .min { abs(error($0, at: now)) < abs(error($1, at: now)) }
    return joint.map { matched($0, at: now) } ?? final
  }

  /// The verdict for another connection's newest packets, beside one that still plays.
  ///
  /// Held only where a proven run has not come to the tail's end and will within the time allowed: the other one is
  /// behind.
  func takeover(at now: MonotonicTime) -> Verdict {
    let best = nearest((complete + open).filter(isProven), at: now, isOver: true)
    guard let best else { return .gap(seconds: 0) }
    if end(of: best) <= arrived { return matched(best, at: now) }
    return -newSeconds(best) < settings.overlapHoldMax - settings.holdMax
      ? .hold : .gap(seconds: 0)
  }

  private func matched(_ alignment: Alignment, at now: MonotonicTime) -> Verdict {
    let away = max(0, now.seconds(since: tailEnd.heardAt))
    let late = -error(alignment, at: now)
    // With a burst that goes on beyond the log's end, it may be a slow line as well.
    let isStill = !isGrowing(at: now) && (mayPause || standsStill(alignment))
    let paused = isStill && late > lateMax(at: now) ? min(away, late) : 0
    return .matched(drop: end(of: alignment), away: away, paused: paused)
  }

  // MARK: The clock

  /// How much more than the time away is new, seconds; negative: less. Nothing, where it agrees with all that is known.
  private func error(_ alignment: Alignment, at now: MonotonicTime) -> Double {
    let new = newSeconds(alignment)
    let most = now.seconds(since: tailEnd.heardAt) + tailEnd.lag
    return new > most ? new - most : min(0, new - now.seconds(since: tailEnd.knownAt))
  }

  private func lateMax(at now: MonotonicTime) -> Double {
    let away = max(0, now.seconds(since: tailEnd.heardAt))
    return settings.lateMax + min(settings.driftMax, settings.drift * away)
  }

  private func isInTime(_ alignment: Alignment, at now: MonotonicTime) -> Bool {
    // Who sends without end has no clock.
    let aheadMax = isTooLong ? Double.infinity : settings.aheadMax
    return (-lateMax(at: now)...aheadMax).contains(error(alignment, at: now))
  }

  /// It is right as far as the clock can tell, whatever else fits.
  private func agrees(_ alignment: Alignment, at now: MonotonicTime) -> Bool {
    abs(error(alignment, at: now)) <= settings.lateMax
  }

  /// What more of the burst cannot change.
  private func isCertain(_ alignment: Alignment, at now: MonotonicTime) -> Bool {
    isInTime(alignment, at: now) || isTooLongToRepeat(alignment, at: now)
  }

  /// A stretch cannot be repeated at a distance shorter than itself, but for loops, which the tail shows; and no jingle
  /// is that long.
  private func isTooLongToRepeat(_ alignment: Alignment, at now: MonotonicTime) -> Bool {
    let overlap = overlapSeconds(alignment)
    return overlap > abs(error(alignment, at: now)) || overlap >= settings.certainRun
  }

  /// Whether the upstream sent what it had at once, and that ends where the log does.
  private func standsStill(_ alignment: Alignment) -> Bool {
    let end = end(of: alignment)
    guard (1...arrived).contains(end), burst.lead >= Self.burstMin else { return false }
    let packet = seconds[end] - seconds[end - 1]
    return abs(seconds[burst.packetsInIt] - seconds[end]) <= max(Self.burstEndTolerance, packet)
  }

  /// Seconds.
  private static let burstMin = 1.0
  private static let burstEndTolerance = 0.25

  private func isOver(at now: MonotonicTime) -> Bool {
    burst.quiet(at: now) >= settings.holdMax
  }

  /// Whether it reaches so far back that a burst begins in it, and every alignment is known from the first packet on.
  private var tailIsLong: Bool {
    arrived > 0 && Double(tail.count) * arrivedSeconds / Double(arrived) >= settings.burstMax
  }

  // MARK: Alignments

  /// How many arrived packets the log has, when the alignment is right.
  private func end(of alignment: Alignment) -> Int { tail.count - alignment.shift }

  private func isLong(_ alignment: Alignment) -> Bool { run(of: alignment).count >= runNeeded }

  private func isProven(_ alignment: Alignment) -> Bool {
    let run = run(of: alignment)
    return run.count >= runNeeded && run.distinct >= settings.distinctMin
  }

  /// How many packets are equal so far, and how many of them differ from each other.
  private func run(of alignment: Alignment) -> (count: Int, distinct: Int) {
    let first = max(0, alignment.shift)
    let count = min(tail.count, alignment.shift + arrived) - first
    return (count, alignment.shift >= 0 ? distinct[count] : tailDistinct[count])
  }

  /// The alignment that leaves as much new audio as time has passed since the tail's end.
  ///
  /// One that is not proven, where silence repeats a packet or two, must agree with the clock; and what is too late for
  /// it must be too long to be a repetition, or end with the burst, where that is over.
  private func nearest(
    _ alignments: [Alignment], at now: MonotonicTime, isOver: Bool
  ) -> Alignment? {
    alignments.filter { isViable($0, at: now, isOver: isOver) }
      .min { abs(error($0, at: now)) < abs(error($1, at: now)) }
  }

  private func isViable(_ alignment: Alignment, at now: MonotonicTime, isOver: Bool) -> Bool {
    let error = error(alignment, at: now)
    guard isProven(alignment) else { return abs(error) <= settings.weakTolerance }
    if isCertain(alignment, at: now) { return true }
    return error < 0 && (mayPause || !isOver || standsStill(alignment))
  }

  /// Negative for an alignment that has not come to the tail's end.
  private func newSeconds(_ alignment: Alignment) -> Double {
    let end = end(of: alignment)
    if end <= arrived { return arrivedSeconds - seconds[end] }
    return -Double(end - arrived) * packetSeconds
  }

  /// How much of what arrives the log has, when the alignment is right.
  private func overlapSeconds(_ alignment: Alignment) -> Double {
    let end = end(of: alignment)
    // What is older than the tail cannot be compared.
    let first = max(0, -alignment.shift)
    guard end > arrived else { return seconds[end] - seconds[min(first, end)] }
    return Double(end - first) * packetSeconds
  }

  private var packetSeconds: Double { arrivedSeconds / Double(max(1, arrived)) }

  private static func countDistinct(_ hashes: [UInt32], upTo limit: Int) -> [Int] {
    var seen: Set<UInt32> = []
    var counts = [0]
    counts.reserveCapacity(hashes.count + 1)
    for hash in hashes {
      if seen.count < limit { seen.insert(hash) }
      counts.append(seen.count)
    }
    return counts
  }
}
