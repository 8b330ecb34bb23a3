import Timeshift
import Wire

/// What counts as proof that arriving packets continue the log. Times are in seconds.
public struct StitchSettings: Hashable, Sendable {
  /// Packets that must be equal in a row, and how many of them must differ from each other: 20 s of digital silence
  /// by LAME are 768 frames, 6 of them distinct, in runs of 23 equal ones.
  public var runMin = 8
  public var distinctMin = 4
  /// How long packets are held while nothing is decided.
  public var holdMax = 0.5
  /// How long they are held once a run is proven that has not come to the log's end: all of it is repetition, nobody
  /// misses anything, and a slow line needs its time for a long burst.
  public var overlapHoldMax = 5.0
  /// A run of too few distinct packets proves nothing; one that agrees this well with the clock is taken.
  public var weakTolerance = 1.0
  /// The same of Ogg pages, which are a fifth of a second each: a piece from curl may hold no more than one of FLAC.
  public var pageRunMin = 3
  public var pageDistinctMin = 2
  /// Seconds of the log's newest audio that are compared: longer than any burst seen.
  public var tailSeconds = 120.0

  public init() {}

  /// As they are for audio of `codec`.
  func settings(for codec: Codec) -> StitchSettings {
    var settings = self
    if codec.isOgg { (settings.runMin, settings.distinctMin) = (pageRunMin, pageDistinctMin) }
    return settings
  }
}

/// Finds the place in the log where an upstream goes on after a reconnect.
///
/// Upstreams send their newest seconds again to whoever connects. The arriving packets must equal the log's tail as a
/// run up to its end; then what comes after is new, without a packet lost or twice. Several alignments are possible
/// where the audio repeats itself (silence, a jingle loop): the one that agrees best with the time away is right.
/// Packets are known by hash and length of time only; the worker holds their bytes until the verdict.
struct Stitcher {
  enum Verdict: Hashable {
    /// Not yet; ask again when more has come, or at the deadline.
    case hold
    /// The first `drop` arrived packets are in the log; the rest goes on from it, `away` seconds after the tail.
    case matched(drop: Int, away: Double)
    /// Nothing joins: `seconds` were lost.
    case gap(seconds: Double)
  }

  /// `shift` is the place in the tail that the first arriving packet has; negative when it is older than the tail.
  /// The alignment is complete when the arriving packets have reached the tail's end.
  private struct Alignment {
    var shift: Int
  }

  private let settings: StitchSettings
  private let tail: [UInt32]
  private let tailEnd: MonotonicTime
  /// Of the first n packets of the tail, up to `distinctMin`.
  private let tailDistinct: [Int]
  private let runNeeded: Int

  /// Alignments looked at. In 20 s of silence behind two minutes of it there are 3.5 million.
  private(set) var steps = 0
  private static let stepsMax = 8_000_000

  private var began: MonotonicTime?
  /// Seconds of the first n arrived packets.
  private var seconds: [Double] = [0]
  private var distinct: [Int] = [0]
  private var seen: Set<UInt32> = []
  private var open: [Alignment] = []
  private var complete: [Alignment] = []

  /// `tailEnd` is when the tail's last packet came. The tail must not be empty.
  init(tail: [UInt32], tailEnd: MonotonicTime, settings: StitchSettings = StitchSettings()) {
    precondition(!tail.isEmpty, "there is nothing to stitch to")
    self.settings = settings
    self.tail = tail
    self.tailEnd = tailEnd
    tailDistinct = Self.countDistinct(tail, upTo: settings.distinctMin)
    runNeeded = min(settings.runMin, tail.count)
  }

  /// Nothing more is compared: audio that repeats itself without end fits everywhere.
  var isExhausted: Bool { steps > Self.stepsMax }

  var arrivedSeconds: Double { seconds[seconds.count - 1] }
  private var arrived: Int { seconds.count - 1 }

  /// How much of what arrived may be new; nothing while a proven run has not come to the tail's end.
  var newSecondsMax: Double { open.contains(where: isProven) ? 0 : arrivedSeconds }

  /// When to ask again at the latest. nil before the first packet.
  var deadline: MonotonicTime? {
    began.map { $0.adding(open.contains(where: isProven) ? holdLimit : settings.holdMax) }
  }

  private var holdLimit: Double { max(settings.holdMax, settings.overlapHoldMax) }

  /// A packet has come.
  mutating func arrive(_ hash: UInt32, seconds length: Double, at now: MonotonicTime) {
    if began == nil { began = now }
    let place = arrived
    if seen.count < settings.distinctMin { seen.insert(hash) }
    seconds.append(arrivedSeconds + length)
    distinct.append(seen.count)
    guard !isExhausted else { return open.removeAll() }
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

  /// What is known at `now`. `isFinal`: nothing more will come.
  func verdict(at now: MonotonicTime, isFinal: Bool = false) -> Verdict {
    guard let began else { return .hold }
    let runs = complete.filter(isLong)
    if open.isEmpty, runs.count == 1, isProven(runs[0]) { return matched(runs[0], at: now) }
    let held = now.seconds(since: began)
    guard held >= settings.holdMax || isFinal else { return .hold }
    let isAwaiting = !isFinal && held < holdLimit
    let awaited = isAwaiting ? open.filter(isProven) : []
    guard let best = nearest(runs + awaited, at: now) else {
      return .gap(seconds: max(0, now.seconds(since: tailEnd) - arrivedSeconds))
    }
    return end(of: best) <= arrived ? matched(best, at: now) : .hold
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
    let away = now.seconds(since: tailEnd)
    let joint = complete.filter { run(of: $0).distinct >= 2 }
      .min { abs(newSeconds($0) - away) < abs(newSeconds($1) - away) }
    return joint.map { matched($0, at: now) } ?? final
  }

  /// The verdict for another connection's newest packets, beside one that still plays.
  ///
  /// Held only where a proven run has not come to the tail's end and will within the time allowed: the other one is
  /// behind.
  func takeover(at now: MonotonicTime) -> Verdict {
    let best = nearest((complete + open).filter(isProven), at: now)
    guard let best else { return .gap(seconds: 0) }
    if end(of: best) <= arrived { return matched(best, at: now) }
    return -newSeconds(best) < settings.overlapHoldMax - settings.holdMax
      ? .hold : .gap(seconds: 0)
  }

  private func matched(_ alignment: Alignment, at now: MonotonicTime) -> Verdict {
    .matched(drop: end(of: alignment), away: max(0, now.seconds(since: tailEnd)))
  }

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
  /// One that is not proven, where silence repeats a packet or two, must agree with the clock.
  private func nearest(_ alignments: [Alignment], at now: MonotonicTime) -> Alignment? {
    let away = now.seconds(since: tailEnd)
    return alignments.map { (alignment: $0, error: abs(newSeconds($0) - away)) }
      .filter { $0.error <= settings.weakTolerance || isProven($0.alignment) }
      .min { $0.error < $1.error }?.alignment
  }

  /// Negative for an alignment that has not come to the tail's end.
  private func newSeconds(_ alignment: Alignment) -> Double {
    let end = end(of: alignment)
    if end <= arrived { return arrivedSeconds - seconds[end] }
    return -Double(end - arrived) * arrivedSeconds / Double(max(1, arrived))
  }

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
