import Timeshift
import Wire

/// The end of a station's log as what arrives is held against it: the newest packets, when they came, and where from.
struct LogTail {
  private var ring: TailRing
  /// When the newest packet came; nil: the log is empty.
  private(set) var heardAt: MonotonicTime?
  /// When the upstream was last seen to have nothing behind that packet.
  private var knownAt: MonotonicTime?
  /// Of a restart over which no clock tells how long it took: no longer ago than `heardAt`, and not after `knownAt`.
  private var isDoubtful = false
  /// The URL that it came from.
  private var url: String?
  private var pace = LogPace()

  init(settings: StitchSettings) {
    ring = TailRing(seconds: settings.tailSeconds)
  }

  /// Takes what another process has written.
  mutating func recall(
    _ packets: [(hash: UInt32, seconds: Double)], away: TimeAway, at now: MonotonicTime
  ) {
    for packet in packets { ring.append(packet.hash, seconds: packet.seconds) }
    switch away {
    case .exactly(let seconds): heardAt = now.adding(-seconds)
    case .atLeast(let seconds):
      (heardAt, knownAt) = (now.adding(-Self.anyLength), now.adding(-seconds))
      isDoubtful = true
    }
  }

  /// Seconds: longer than anything.
  private static let anyLength = 1e9

  mutating func appended(
    _ hash: UInt32, seconds: Double, from url: String, at now: MonotonicTime
  ) {
    ring.append(hash, seconds: seconds)
    (heardAt, knownAt, isDoubtful, self.url) = (now, nil, false, url)
    pace.appended(seconds: seconds, at: now)
  }

  /// What comes next does not follow what came.
  mutating func cut() { ring.cut() }

  /// The connection is lost.
  mutating func interrupted() { pace.interrupted() }

  /// What comes next has a pace of its own.
  mutating func restartPace() { pace.restart() }

  /// The upstream has come so far, and no further.
  mutating func upstreamEndedHere(at now: MonotonicTime) { knownAt = now }

  /// Seconds since its newest packet came, as far as is known.
  func away(at now: MonotonicTime) -> Double {
    (isDoubtful ? knownAt : heardAt).map { max(0, now.seconds(since: $0)) } ?? 0
  }

  /// Finds where a connection goes on; nil: the log is empty.
  ///
  /// Another format cannot be the same audio: there is nothing to compare with, and the clock tells. So it does of another
  /// upstream, which may encode otherwise; the same one would send the same packets again, and what it sends besides may
  /// be made for whoever connects.
  func stitcher(
    from url: String, _ source: StitchSource, isSameFormat: Bool, settings: StitchSettings
  ) -> Stitcher? {
    guard let heardAt else { return nil }
    // Of a tail that the disk did not give after a restart nothing is known but its time.
    let isOther = !isSameFormat || ring.isEmpty || self.url != url
    var source = source
    source.hasPast = source.hasPast && isOther
    return Stitcher(
      tail: isSameFormat ? ring.hashes : [],
      tailEnd: StitchEnd(
        heardAt, knownAt: knownAt, lag: pace.lag, behind: pace.behind, pause: pace.pause,
        isDoubtful: isDoubtful),
      settings: settings, source: source)
  }
}
