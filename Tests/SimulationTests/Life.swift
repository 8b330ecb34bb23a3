import TestSupport
import Timeshift

@testable import Ingest
@testable import Server
@testable import Timeshift

/// What a process has that its end takes away.
final class Life {
  let log: PacketLog
  let storage: Storage
  let appender: Appender
  let reader: LogReader
  let shard: MountShard
  /// Of a station that is heard later.
  let delayed: MountShard
  let fanout = Fanout()
  var trial: SimulatedTrial?
  var listeners: [SimulatedListener] = []
  var slots: UInt32 = 0
  /// When the appender is to decide at the latest.
  var decidesAt: MonotonicTime?
  var grewAt = 0.0
  var oldestOnDisk: LogPoint?
  var keptBefore = 0.0
  var checkedAt = 0.0
  var scrubbedAt = 0.0
  var holesAtStart = 0
  let bornAt: Double
  static let delay = 30.0

  init(
    _ log: PacketLog, _ storage: Storage, settings: UpstreamSettings, at now: Moment,
    seconds: Double
  ) {
    bornAt = seconds
    self.log = log
    self.storage = storage
    appender = Appender(writer: log.onlyWriter(), settings: settings) { event in
      if Trace.isOn { print(event) }
    }
    reader = LogReader(log)
    shard = MountShard(Mount(station: "simulated", log: log), at: now)!
    delayed = MountShard(
      Mount(station: "later", log: log, delay: MediaTime(seconds: Self.delay)), at: now)!
  }

  func refresh(at now: Moment) { reader.refresh(at: now) }

  func startTurn(at now: Moment) {
    shard.startTurn(at: now)
    delayed.startTurn(at: now)
  }

  func leave(_ listener: SimulatedListener) {
    fanout.sidecars.remove(listener.listener.slot)
    listeners.removeAll { $0 === listener }
  }

  func leave() { for listener in listeners { leave(listener) } }
}
