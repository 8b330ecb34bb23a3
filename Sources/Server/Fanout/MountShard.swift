import Timeshift
import Wire

/// One loop's share of a mount: its own reader of the log, and its listeners in one flat array.
final class MountShard {
  var mount: Mount
  /// The log that is read: the mount's own, or its fallback's.
  let log: PacketLog
  let isFallback: Bool
  let reader: LogReader
  let blocks = ICYBlocks()
  let starts = OggStarts()
  /// Newcomers come by `add`.
  var listeners: [Listener] = []
  /// Surge of the reader's edge, as the edge was followed last.
  private(set) var surge: EdgeSurge
  // Private, so that the compiler sees all uses of it and checks nothing at run time.
  private var rateNow = 1.0
  /// Media seconds per monotonic second, read once a turn.
  var rate: Double { rateNow }

  /// Nil when the mount is no stream.
  convenience init?(_ mount: Mount, at now: @autoclosure () -> Moment = .now()) {
    guard case .stream(let log, let delay) = mount.content else { return nil }
    self.init(mount, log, delay: delay, isFallback: false, at: now())
  }

  /// - Parameter fallback: the log that listeners hear in place of the mount's own.
  convenience init(_ mount: Mount, fallback: PacketLog) {
    self.init(mount, fallback, delay: .zero, isFallback: true, at: .now())
  }

  private init(
    _ mount: Mount, _ log: PacketLog, delay: MediaTime, isFallback: Bool, at now: Moment
  ) {
    self.mount = mount
    self.log = log
    self.isFallback = isFallback
    reader = LogReader(log, delay: delay, at: now)
    surge = EdgeSurge(edge: reader.edge.media, at: now.monotonic.nanoseconds)
    edgeSeen = reader.edge.media
    (edgeMovedAt, settledAt) = (now.monotonic.nanoseconds, now.monotonic.nanoseconds)
    startTurn(at: now)
  }

  var policy: SlowListenerPolicy { SlowListenerPolicy(settings: mount.settings) }

  /// Adopts the log's new edge and, if they changed, its lists.
  func startTurn(at now: @autoclosure () -> Moment = .now()) {
    reader.refresh(at: now())
    blocks.startTurn()
    rateNow = log.rate
  }

  /// Follows the reader's edge. Called in every walk, and before a listener comes or is judged by the edge.
  func followEdge(at now: Int64) {
    let edge = reader.edge.media
    surge.follow(edge, at: now)
    guard edge != edgeSeen else { return }
    if now - edgeMovedAt > Self.standstill || now - settledAt > Self.settling {
      settlePlayPoints(at: now)
    }
    (edgeSeen, edgeMovedAt) = (edge, now)
  }

  /// The edge as it was followed last, and when it moved, monotonic nanoseconds.
  private var edgeSeen: MediaTime
  private var edgeMovedAt: Int64
  private var settledAt: Int64
  /// Longer than this without audio some players may have run dry.
  private static let standstill: Int64 = 1_000_000_000
  /// In this time two clocks part by less than `drift`.
  private static let settling: Int64 = 600_000_000_000
  private static let drift = MediaTime(seconds: 0.1)

  /// Keeps the play points of live listeners true: every ten minutes, and when audio comes again after a second without.
  /// A player that ran dry goes on with what comes now. Over days the clocks of players and station would part, while
  /// each player holds about its burst.
  private func settlePlayPoints(at now: Int64) {
    let hasDrifted = now - settledAt > Self.settling
    if hasDrifted { settledAt = now }
    for index in listeners.indices where !listeners[index].pace.isPlaced {
      let pace = listeners[index].pace
      var ahead = max(.zero, edgeSeen - pace.played(at: now, rate: rate))
      if hasDrifted { ahead += max(.zero - Self.drift, min(Self.drift, pace.burst - ahead)) }
      listeners[index].pace.move(to: edgeSeen - ahead, now: now)
    }
  }

  /// Takes a listener in. The edge is followed first: walks pass by a shard without listeners, and what came meanwhile
  /// is no news to a newcomer.
  func add(_ listener: Listener, at now: Int64) {
    followEdge(at: now)
    listeners.append(listener)
  }

  /// Leaves out a standstill of the loop, in nanoseconds.
  func stoodStill(for nanoseconds: Int64) {
    surge.bear(nanoseconds)
    for index in listeners.indices {
      listeners[index].takenAt = listeners[index].takenAt.saturatingAdd(nanoseconds)
    }
  }

  /// Removes a listener; the last one moves into its place.
  /// - Returns: the connection slot of the one that moved, nil if none did.
  func remove(at index: Int) -> UInt32? {
    let last = listeners.count - 1
    listeners.swapAt(index, last)
    listeners.removeLast()
    return index < last ? listeners[index].slot : nil
  }
}
