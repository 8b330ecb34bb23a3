import Wire

/// Where what was in a log's folder, and what came into memory while that could not be used, meet.
///
/// The log began in memory at a position behind all that a folder can hold, so whoever was told a position finds the same
/// packet there ever after: in between there is a hole. Media time has none: it goes on at `next` as it ended at
/// `end`. What is in the folder has less of it by a shift, for nobody knew before how much there was.
public struct LogJoint: Hashable, Sendable {
  /// Just past what was in the folder.
  public var end: LogPoint
  /// The first packet in memory that is not there.
  public var next: LogPoint
  /// What is missing between them; nil: nothing.
  public var gap: GapMark?

  /// No station sends so many bytes a second for long, so what begins later is always further on. JSON's numbers are exact
  /// up to 2^53, which the year 2200 does not reach.
  private static let bytesPerSecond: UInt64 = 1 << 20
  /// In front of it there is room for what was in the folder.
  private static let media = MediaTime(seconds: 20 * 365 * 86_400)

  /// Where the clock of the year 2200 begins; no log of an earlier process does later.
  private static let startMax: UInt64 = 7_258_118_400 * bytesPerSecond
  /// Seconds: what a process told after it last put down how far it was.
  private static let toldLater: UInt64 = 300

  /// Behind what a folder holds, and behind what was told: where the clock is behind that of an earlier process as well.
  ///
  /// - Parameter told: the highest position that earlier processes are known to have told, as it stands in the database.
  static func start(at wall: WallTime, above told: UInt64) -> LogPoint {
    let byClock = UInt64(bounded: wall.seconds) * bytesPerSecond
    let behind = told == 0 ? 0 : min(told, startMax) + toldLater * bytesPerSecond
    return LogPoint(position: min(max(byClock, behind), startMax), media: media)
  }
}

/// Finds where what came into memory goes on from the folder's end, as a stitcher does: its first packets equal the
/// folder's last ones, and the clock agrees.
struct JointSearch {
  /// Of the folder's end; a burst is no longer.
  static let tailSeconds = 90.0
  /// What is new may be so much shorter than the relay was away, with a twentieth of that; and so much longer.
  private static let lateMax = 2.0
  private static let aheadMax = 60.0
  /// Shorter runs are chance, longer ones are no repetition of the programme's own. Seconds.
  private static let runMin = 0.5
  private static let certainRun = 30.0

  struct Packet {
    var hash: TailPacket
    var start: MediaTime
    /// Where it ends.
    var end: LogPoint
  }

  let tail: [TailPacket]
  let arrived: [Packet]
  /// When the folder's last packet was over, by today's wall clock.
  let endAir: WallTime
  let air: AirTimes
  let now: Moment

  /// So many packets that came first are looked at.
  static let arrivedMax = 8192

  /// Where the first packet begins that the folder has not; nil: nothing in it is continued.
  func next() -> LogPoint? {
    let lateMax = Self.lateMax + max(0, now.wall.seconds(since: endAir)) / 20
    var best: (point: LogPoint, error: Double)?
    for count in stride(from: arrived.count, to: 0, by: -1) {
      let length = min(count, tail.count)
      guard length > 0 else { break }
      let (first, end) = (arrived[count - length], arrived[count - 1].end)
      let run = (end.media - first.start).seconds
      // How much longer what is new is than the time away.
      let error = endAir.seconds(since: air.wall(at: end.media, by: now))
      guard run >= Self.runMin,
        run >= Self.certainRun || (-lateMax...Self.aheadMax).contains(error),
        best.map({ abs(error) < abs($0.error) }) ?? true, isRun(length, upTo: count)
      else { continue }
      best = (end, error)
    }
    return best?.point
  }

  /// From the end: audio that repeats itself differs there first.
  private func isRun(_ length: Int, upTo count: Int) -> Bool {
    (1...length).allSatisfy { arrived[count - $0].hash == tail[tail.count - $0] }
  }
}
