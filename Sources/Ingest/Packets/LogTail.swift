import Timeshift
import Wire

/// The end of a station's log, with which arriving audio is compared: the newest packets, their time and their URL.
struct LogTail {
  private var ring: TailRing
  /// When the newest packet came; nil for an empty log.
  private(set) var heardAt: MonotonicTime?
  /// When the upstream was last seen to have nothing behind that packet.
  private var knownAt: MonotonicTime?
  /// Whether no clock tells how long a restart took: no longer ago than `heardAt`, and not after `knownAt`.
  private var isDoubtful = false
  /// The URL that the newest packet came from.
  private var url: String?
  private var pace = LogPace()

  init(settings: StitchSettings) {
    ring = TailRing(seconds: settings.tailSeconds)
  }

  /// Adopts the packets that another process wrote.
  mutating func recall(
    _ packets: [TailRing.Entry], away: TimeAway, at now: MonotonicTime
  ) {
    for packet in packets {
      ring.append(packet.hash, seconds: packet.seconds, bytes: packet.bytes)
    }
    switch away {
    case .exactly(let seconds): heardAt = now.adding(-seconds)
    case .atLeast(let seconds):
      (heardAt, knownAt) = (now.adding(-Self.anyLength), now.adding(-seconds))
      isDoubtful = true
    }
  }

  /// Seconds, longer than any absence.
  private static let anyLength = 1e9

  mutating func appended(
    _ hash: UInt32, seconds: Double, bytes: Int, from url: String, at now: MonotonicTime
  ) {
    ring.append(hash, seconds: seconds, bytes: bytes)
    (heardAt, knownAt, isDoubtful, self.url) = (now, nil, false, url)
    pace.appended(seconds: seconds, at: now)
  }

  /// The newest packets, oldest first, as far as they fit in `bytes`.
  func newest(within bytes: UInt64) -> ArraySlice<TailRing.Entry> { ring.newest(within: bytes) }

  /// Whether the newest packets have `hashes` in a row.
  func has(_ hashes: [UInt32]) -> Bool { ring.has(hashes) }

  /// Marks that the next packet does not follow the last one.
  mutating func cut() { ring.cut() }

  /// Notes that the connection is lost.
  mutating func interrupted() { pace.interrupted() }

  /// Measures the pace of the next audio anew.
  mutating func restartPace() { pace.restart() }

  /// Notes that the upstream has come so far, and no further.
  mutating func upstreamEndedHere(at now: MonotonicTime) { knownAt = now }

  /// The seconds since the newest packet came, as far as is known.
  func away(at now: MonotonicTime) -> Double {
    (isDoubtful ? knownAt : heardAt).map { max(0, now.seconds(since: $0)) } ?? 0
  }

  /// Makes a stitcher that finds where a connection goes on; nil for an empty log.
  ///
  /// The clock places another format: its packets cannot be equal. It also places another upstream without equal
  /// packets, since that may encode differently. The same upstream would send equal packets, so the clock cuts nothing
  /// there. Its differing packets may be an announcement for new connections.
  func stitcher(
    from url: String, _ source: StitchSource, isSameFormat: Bool, settings: StitchSettings
  ) -> Stitcher? {
    guard let heardAt else { return nil }
    // If the disk did not give the tail after a restart, only its time is known.
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
