import Wire

/// The place where a folder's content meets audio that came into memory while the folder could not be used.
///
/// The log began in memory at a position behind all that a folder can hold. So a position always means the same packet,
/// and between the two parts there is a hole. Media time has no hole: it goes on at `next` as it ended at `end`. The
/// media times in the folder are less by a shift, since the folder's length was unknown at the beginning.
public struct LogJoint: Hashable, Sendable {
  /// The point just past the folder's content.
  public var end: LogPoint
  /// The first packet in memory that the folder does not have.
  public var next: LogPoint
  /// The gap between the two; nil if nothing is missing.
  public var gap: GapMark?

  /// More bytes a second than any station sends for long, so a later beginning always has a higher position.
  ///
  /// JSON's numbers are exact up to 2^53, which the year 2200 does not reach.
  private static let bytesPerSecond: UInt64 = 1 << 20
  /// The media time at the beginning; it leaves room for the folder's content.
  private static let media = MediaTime(seconds: 20 * 365 * 86_400)

  /// The start position in the year 2200; no log of an earlier process begins later.
  private static let startMax: UInt64 = 7_258_118_400 * bytesPerSecond
  /// Seconds of positions that a process may have told after it last stored its position.
  private static let toldLater: UInt64 = 300

  /// A start behind a folder's content and behind all told positions, even if the clock is behind an earlier process's.
  ///
  /// - Parameter told: the highest position that earlier processes are known to have told, as stored in the database.
  static func start(at wall: WallTime, above told: UInt64) -> LogPoint {
    let byClock = UInt64(bounded: wall.seconds) * bytesPerSecond
    let behind = told == 0 ? 0 : min(told, startMax) + toldLater * bytesPerSecond
    return LogPoint(position: min(max(byClock, behind), startMax), media: media)
  }
}

/// Finds where the memory's audio goes on from the folder's end, as a stitcher does.
///
/// Its first packets equal the folder's last ones, and the clock agrees.
struct JointSearch {
  /// Seconds of the folder's end that are compared; a burst is no longer.
  static let tailSeconds = 90.0
  /// New audio may be this many seconds shorter than the time away, plus a twentieth of that time; or `aheadMax`
  /// longer.
  private static let lateMax = 2.0
  private static let aheadMax = 60.0
  /// Seconds. A shorter run of equal packets is chance; one of `certainRun` is no repetition within the programme.
  private static let runMin = 0.5
  private static let certainRun = 30.0

  struct Packet {
    var hash: TailPacket
    var start: MediaTime
    /// The packet's end.
    var end: LogPoint
  }

  let tail: [TailPacket]
  let arrived: [Packet]
  /// When the folder's last packet ended, by today's wall clock.
  let endAir: WallTime
  let air: AirTimes
  let now: Moment

  /// The most arrived packets that are compared.
  static let arrivedMax = 8192

  /// The first packet that the folder does not have; nil if the folder's audio is not continued.
  func next() -> LogPoint? {
    let lateMax = Self.lateMax + max(0, now.wall.seconds(since: endAir)) / 20
    var best: (point: LogPoint, error: Double)?
    for count in stride(from: arrived.count, to: 0, by: -1) {
      let length = min(count, tail.count)
      guard length > 0 else { break }
      let (first, end) = (arrived[count - length], arrived[count - 1].end)
      let run = (end.media - first.start).seconds
      // How much longer the new audio is than the time away, in seconds.
      let error = endAir.seconds(since: air.wall(at: end.media, by: now))
      guard run >= Self.runMin,
        run >= Self.certainRun || (-lateMax...Self.aheadMax).contains(error),
        best.map({ abs(error) < abs($0.error) }) ?? true, isRun(length, upTo: count)
      else { continue }
      best = (end, error)
    }
    return best?.point
  }

  /// Whether the last packets are equal. Compared from the end: repeating audio differs there first.
  private func isRun(_ length: Int, upTo count: Int) -> Bool {
    (1...length).allSatisfy { arrived[count - $0].hash == tail[tail.count - $0] }
  }
}
