import Synchronization
import Timeshift

/// A log in a directory of its own, with a storage that takes its turns when told, on a disk that can fail.
public final class LogOnDisk {
  public let clock: ManualClock
  public let directory: TemporaryDirectory
  public let disk: FailingFiles
  public let storage: Storage
  public let log: PacketLog
  private let told: Told

  private final class Told: Sendable {
    let events = Mutex<[StorageEvent]>([])
  }

  public init(
    _ configuration: LogConfiguration = LogConfiguration(retention: MediaTime(seconds: 86400)),
    in directory: TemporaryDirectory = TemporaryDirectory(), clock: ManualClock = ManualClock(),
    disk: FailingFiles = FailingFiles(), handlesMax: Int = 256, readRetryInterval: Double = 2,
    boot: BootID? = .current
  ) throws {
    self.clock = clock
    self.directory = directory
    let told = Told()
    self.disk = disk
    self.told = told
    var calls = disk.calls
    calls.boot = boot
    storage = Storage(
      files: calls, handlesMax: handlesMax, readRetryInterval: readRetryInterval)
    log = try PacketLog.open(
      directory: directory.path, configuration: configuration, storage: storage, at: clock.now,
      report: { event in told.events.withLock { $0.append(event) } })
  }

  // Log and storage hold each other until the log is closed, which many of these never are.
  deinit { storage.abandon() }

  public var events: [StorageEvent] { told.events.withLock { $0 } }

  public func turn() { storage.runOnce(at: clock.now.monotonic) }

  /// Real time by the clock, the storage taking its turns.
  public func feed(seconds: Double) { log.feed(seconds: seconds, by: clock) { turn() } }

  /// What a new reader gets from there, with the storage serving it.
  public func collect(_ range: Range<UInt64>) -> [UInt8]? {
    LogReader(log).collect(range) { turn() }
  }

  /// Whether all of the log can be read and is as it was written.
  public var isWholeAndKnown: Bool {
    let reader = LogReader(log)
    let range = reader.oldest.position..<reader.edge.position
    guard let bytes = reader.collect(range, wait: { turn() }) else { return false }
    return areKnown(bytes, from: range.lowerBound)
  }
}
