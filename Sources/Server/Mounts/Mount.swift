import Synchronization
import Timeshift
import Wire

/// A station's log or files under a path that listeners ask for, with the facts for response headers.
public struct Mount: Sendable {
  /// Content that listeners are sent.
  public enum Content: Sendable {
    /// A log, in which everything is live `delay` after its air time.
    case stream(PacketLog, delay: MediaTime)
    case files(FileSource)
    /// Nothing, for a mount that is stopped and could not be started yet.
    case nothing
  }

  /// Description of the station for players.
  public struct Description: Hashable, Sendable {
    public var name = ""
    public var genre = ""
    public var text = ""
    public var homepage = ""
    /// `icy-pub`: whether directories may list it. A relay lists nothing by itself.
    public var isPublic = false
    /// kbit/s for `icy-br`; nil for the measured value.
    public var bitrate: Int?
    /// Format that the upstream announces.
    public var announced = ShownFormat.Announcement()
    /// Further `icy-` fields, as they are to be sent.
    public var further: [HTTPFields.Field] = []

    public init() {}
  }

  public var station: String
  /// Number by which SHOUTcast's players and pages know the station, from 1; 0 for none.
  public var sid: Int
  /// Further exact paths besides `/STATION`, each beginning with a slash.
  public var paths: [String]
  public var content: Content
  /// The station that this one is a rendition of: the same programme at the same air times; nil for none.
  public var renditionOf: String?
  /// Whether lists for everybody have the station.
  public var isListed = true
  public var description: Description
  public var settings: ListenerSettings
  /// Which clients may listen, besides the server's own rules.
  public var access = AccessRules()
  /// Decides which clients are admitted; nil to admit all that the rules do.
  public var authority: (any ListenerAuthorizing)?
  /// Seconds that a request waits for the first packet; nil for the server's value.
  public var firstPacketTimeout: Double?
  /// Audio that a log which has just begun, or a station that was woken, must hold before live listeners join.
  public var prebuffer = MediaTime.zero
  /// Told of every request to listen before it is known whether there is anything; nil for a station that is not on
  /// demand.
  public var demand: Demand?
  /// Log that is heard while the mount's own stands still, or is silent; nil for none.
  public var fallback: Fallback?
  /// Other stations' logs whose audio may be heard here: the fallback's, whether it plays or not, and a rendition's
  /// original.
  public var origins: [PacketLog] = []
  /// Position of the first sound behind the last silence that a fallback was heard over; listeners come back to it.
  public var soundFrom: UInt64 = 0
  /// Decodes the mount for clients that want samples; nil where nothing does.
  public var samples: (any SampleMaking)?
  /// Zone of the times of day that listeners ask for.
  public var timeZone = ZoneOffsets.utc
  /// A stopped station answers 503 and has no listeners.
  public var isStopped: Bool
  public var counters: MountCounters

  public init(
    station: String, sid: Int = 0, paths: [String] = [], content: Content,
    description: Description = .init(),
    settings: ListenerSettings = .init(), isStopped: Bool = false,
    counters: MountCounters = MountCounters()
  ) {
    self.station = station
    self.sid = sid
    self.paths = paths
    self.content = content
    self.description = description
    self.settings = settings
    self.isStopped = isStopped
    self.counters = counters
  }
}

extension Mount {
  /// The mount of a stream.
  public init(
    station: String, sid: Int = 0, paths: [String] = [], log: PacketLog,
    delay: MediaTime = .zero, settings: ListenerSettings = .init(), isStopped: Bool = false,
    counters: MountCounters = MountCounters()
  ) {
    self.init(
      station: station, sid: sid, paths: paths, content: .stream(log, delay: delay),
      settings: settings, isStopped: isStopped, counters: counters)
  }

  /// The mount's log; nil when it is no stream.
  public var log: PacketLog? {
    if case .stream(let log, _) = content { log } else { nil }
  }

  /// The ids of all logs that the audio may come through, the mount's own first. None occurs twice.
  var via: [LogID] {
    var known: Set<LogID> = []
    let logs = (log.map { [$0] } ?? []) + origins
    return logs.flatMap { [$0.id] + $0.via }.filter { known.insert($0).inserted }
  }

  /// How long after its air time everything is live here.
  public var delay: MediaTime {
    if case .stream(_, let delay) = content { delay } else { .zero }
  }

  /// kbit/s, announced or measured; nil where neither is known.
  var bitrate: Int? {
    if let announced = description.bitrate { return announced }
    guard let measured = log?.snapshot().bitrate, measured > 0 else { return nil }
    return Int(bounded: measured.rounded())
  }

  /// What stations have in common that are the same programme at the same air times.
  var programme: String { renditionOf ?? station }

  /// The mount's files; nil when it serves none.
  public var files: FileSource? {
    if case .files(let files) = content { files } else { nil }
  }
}

/// Counts of one mount's listeners, over all loops.
public final class MountCounters: Sendable {
  private let nowCount = Atomic<Int>(0)
  /// Listeners, and connections that wait for a first packet.
  private let placeCount = Atomic<Int>(0)
  /// Listeners that hear the fallback.
  private let awayCount = Atomic<Int>(0)
  private let peakCount = Atomic<Int>(0)
  private let totalCount: Atomic<Int>
  /// Listeners of HLS, who have no connection.
  private let hlsCount = Atomic<Int>(0)
  /// The largest number that a playlist has begun with.
  private let hlsNumber: Atomic<Int64>
  /// When somebody last asked for the stream, in nanoseconds of the monotonic clock.
  private let askedAt = Atomic<Int64>(.min)

  /// `total` and `listed` go on from what was known before a restart.
  public init(total: Int = 0, listed: Int64 = 0) {
    totalCount = Atomic(min(max(0, total), Self.totalMax))
    hlsNumber = Atomic(max(0, listed))
  }

  /// Bound for a stored total, which may be anything: a thousand a second for 30,000 years.
  private static let totalMax = 1 << 50

  public var now: Int { nowCount.load(ordering: .relaxed) }
  /// Listeners, and connections that wait for a first packet.
  public var places: Int { placeCount.load(ordering: .relaxed) }
  /// Listeners that hear the fallback.
  public var away: Int { awayCount.load(ordering: .relaxed) }
  /// The most listeners at once, those of HLS among them.
  public var peak: Int { peakCount.load(ordering: .relaxed) }
  public var total: Int { totalCount.load(ordering: .relaxed) }

  /// Listeners of HLS; they have places, and are not among those of `now`.
  public var hls: Int { hlsCount.load(ordering: .relaxed) }

  /// Reserves one of `max` places of the mount; false when all are taken.
  func reservePlace(of max: Int?) -> Bool {
    let taken = placeCount.add(1, ordering: .relaxed).newValue
    if taken <= max ?? .max { return true }
    releasePlace()
    return false
  }

  func releasePlace() { placeCount.subtract(1, ordering: .relaxed) }

  func joined() {
    totalCount.add(1, ordering: .relaxed)
    peakCount.max(nowCount.add(1, ordering: .relaxed).newValue + hls, ordering: .relaxed)
  }

  func left() {
    nowCount.subtract(1, ordering: .relaxed)
  }

  func hlsJoined() {
    peakCount.max(hlsCount.add(1, ordering: .relaxed).newValue + now, ordering: .relaxed)
  }

  func hlsLeft() { hlsCount.subtract(1, ordering: .relaxed) }

  /// The largest number that a playlist has begun with; zero before the first.
  public var listed: Int64 { hlsNumber.load(ordering: .relaxed) }

  /// Notes the number with which a playlist is to begin, and returns the least with which it may: none goes back.
  ///
  /// - Parameter numbers: all that are listed. A number behind them is of another log, and counts for nothing.
  func firstNumber(_ numbers: ClosedRange<Int64>) -> Int64 {
    let known = listed
    if known > numbers.upperBound {
      _ = hlsNumber.compareExchange(
        expected: known, desired: numbers.lowerBound, ordering: .relaxed)
      return numbers.lowerBound
    }
    return hlsNumber.max(numbers.lowerBound, ordering: .relaxed).newValue
  }

  func asked(at now: Int64) { askedAt.store(now, ordering: .relaxed) }

  /// Whether somebody listens or waits, or has asked lately: a player that tries again has no connection meanwhile.
  public func isAwaited(at now: MonotonicTime) -> Bool {
    places > 0 || askedAt.load(ordering: .relaxed) > now.nanoseconds - Self.askedFor
  }

  /// Twice the longest pause between two tries of the pages' player.
  private static let askedFor: Int64 = 30_000_000_000

  func wentAway() { awayCount.add(1, ordering: .relaxed) }
  func cameHome() { awayCount.subtract(1, ordering: .relaxed) }
}
