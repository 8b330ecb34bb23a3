import CLinux
import Glibc
import Synchronization
import Threads
import Wire

/// The threads that stand between logs and disks: one writes all logs, one syncs what was written, one fetches what
/// readers ask for, and one reads everything once a day to find what is damaged.
///
/// Nothing that ingests or sends ever waits for them, and nobody waits for a sync: a disk may take a minute for one.
/// Syncing is bounded: at most `syncsPerTurn` logs a turn, so that 320 logs are synced every 5 s and 1,000 every 16 s.
public final class Storage: Sendable {
  static let syncsPerTurn = 16
  /// Files of closed logs that are remembered until they are synced; the kernel writes older ones in its own time.
  static let closedMax = 4096

  /// Two slots of a loop: between rounds of more indexes than there are handles.
  static let roundMicroseconds: UInt32 = 50_000

  let loader: SegmentLoader
  let signal = Signal()
  let syncInterval: Int64
  private let flushInterval: Int64
  private let logs = Mutex<[PacketLog]>([])
  /// With whom the next turn of syncs begins, so that the bounded syncs come round.
  private let firstToSync = Mutex(0)
  /// Of closed logs, to be synced.
  private let closed = Mutex<[UnsyncedFile]>([])
  private let syncSignal = Signal()
  private let scrubber: Scrubber
  private let scrubSignal = Signal()
  /// Milliseconds from one look for what is due to the next, the first included: a start has other work.
  private static let scrubPause: Int32 = 60_000
  /// By the file system that logs are on.
  let relief = Mutex<[Int64: DiskRelief]>([:])
  /// Of full disks, not told yet.
  let givenUp = Mutex<[(LogStore, StorageEvent)]>([])
  /// Calls of its threads that the disk has not answered yet.
  let calls = CallWatch()
  /// The words in which logs were told to have failed since the disk hangs.
  let hangs = Mutex<Set<String>>([])
  private let isStopping = Atomic<Bool>(false)
  private let threads = Mutex<[SystemThread]>([])

  /// - Parameters:
  ///   - handlesMax: segments open for readers at most, in all logs together.
  ///   - flushInterval: seconds between two turns.
  ///   - syncInterval: seconds after which written audio is synced.
  ///   - readRetryInterval: seconds after which a segment that the disk did not give is tried again.
  public init(
    files: FileCalls = .posix, handlesMax: Int = 256, flushInterval: Double = 0.25,
    syncInterval: Double = 5, readRetryInterval: Double = 2
  ) {
    loader = SegmentLoader(
      files: files.watched(by: calls), handlesMax: handlesMax,
      retryInterval: Int64(nanosecondsIn: readRetryInterval))
    scrubber = Scrubber(loader, files)
    self.flushInterval = Int64(nanosecondsIn: flushInterval)
    self.syncInterval = Int64(nanosecondsIn: syncInterval)
  }

  /// False: the system gives no more threads; those there are end by `stop`.
  @discardableResult
  public func start() -> Bool {
    threads.withLock { threads in
      precondition(threads.isEmpty, "a storage is started once")
      let wanted = [
        SystemThread("storage") { [self] in write() },
        SystemThread("storage.sync") { [self] in sync() },
        SystemThread("storage.read") { [self] in read() },
        SystemThread("storage.scrub") { [self] in scrub() },
      ]
      threads = wanted.compactMap(\.self)
      return threads.count == wanted.count
    }
  }

  /// Blocks: writes what there is, syncs what was closed, and ends the threads. The logs stay open.
  public func stop() {
    isStopping.store(true, ordering: .sequentiallyConsistent)
    signal.raise()
    syncSignal.raise()
    loader.signal.raise()
    scrubSignal.raise()
    let running = threads.withLock { threads in
      defer { threads = [] }
      return threads
    }
    for thread in running { thread.join() }
    isStopping.store(false, ordering: .sequentiallyConsistent)
    runOnce(at: .now())
  }

  /// One turn of each thread, for who runs none.
  public func runOnce(at now: MonotonicTime) {
    writeLogs(at: now.nanoseconds)
    syncLogs(at: now.nanoseconds)
    _ = serve()
  }

  /// Reads what is due, for who runs no thread. `rest` is told after how many bytes it is to rest.
  func scrubOnce(at now: MonotonicTime, rest: (Int) -> Bool = { _ in true }) {
    for log in logs.withLock({ $0 }) {
      scrubber.run(log, at: now.nanoseconds, rest: rest)
      tellDamage()
    }
  }

  private func write() {
    while !isStopping.load(ordering: .sequentiallyConsistent) {
      signal.wait(milliseconds: Int32(flushInterval / 1_000_000))
      writeLogs(at: MonotonicTime.now().nanoseconds)
    }
  }

  private func sync() {
    while !isStopping.load(ordering: .sequentiallyConsistent) {
      syncSignal.wait(milliseconds: Int32(flushInterval / 1_000_000))
      syncLogs(at: MonotonicTime.now().nanoseconds)
    }
  }

  private func read() {
    var isMore = false
    while !isStopping.load(ordering: .sequentiallyConsistent) {
      // Readers have their turn before the next round takes handles from them.
      if isMore { usleep(Self.roundMicroseconds) } else { loader.signal.wait(milliseconds: -1) }
      isMore = serve()
    }
  }

  /// Whether more is asked for.
  private func serve() -> Bool {
    defer { tellDamage() }
    return loader.serve()
  }

  private func scrub() {
    linux_set_idle_io()
    while !isStopping.load(ordering: .sequentiallyConsistent) {
      scrubSignal.wait(milliseconds: Self.scrubPause)
      scrubOnce(at: .now()) { [self] bytes in
        let milliseconds = bytes * 1000 / Scrubber.bytesPerSecond
        if milliseconds > 0, !isStopping.load(ordering: .sequentiallyConsistent) {
          scrubSignal.wait(milliseconds: Int32(clamping: milliseconds))
        }
        return !isStopping.load(ordering: .sequentiallyConsistent)
      }
    }
  }

  /// To whom the segments belong.
  private func tellDamage() {
    for (file, damage) in loader.takeUntold() {
      let log = logs.withLock { logs in logs.first { $0.store?.directory == file.directory } }
      guard let log, let store = log.store else { continue }
      // What was given up meanwhile is not damaged but gone.
      let isHeld = log.change { lists -> Bool in
        guard lists.segments.contains(where: { $0.file === file }) || lists.active?.file === file
        else { return false }
        lists.damaged += 1
        return true
      }
      if isHeld {
        store.report(
          .damaged(
            position: damage.start.position, file: file.audioPath, reason: damage.reason))
      }
    }
  }

  private func writeLogs(at now: Int64) {
    for log in logs.withLock({ $0 }) {
      guard let store = log.store else { continue }
      // Told when no lock is held.
      let events = store.turn(log, at: now)
      tellGivenUp()
      for event in events { store.report(event) }
    }
  }

  private func syncLogs(at now: Int64) {
    while let file = closed.withLock({ $0.popLast() }) {
      // Nobody is left to be told.
      try? file.sync(loader.files)
      if isStopping.load(ordering: .sequentiallyConsistent) { return }
    }
    let logs = logs.withLock { $0 }
    let first = firstToSync.withLock { first in
      defer { first = logs.isEmpty ? 0 : (first + Self.syncsPerTurn) % logs.count }
      return first
    }
    var syncs = Self.syncsPerTurn
    for step in logs.indices where syncs > 0 {
      if isStopping.load(ordering: .sequentiallyConsistent) { return }
      if sync(logs[(first + step) % logs.count], at: now) { syncs -= 1 }
    }
  }

  /// False: there was nothing to sync.
  private func sync(_ log: PacketLog, at now: Int64) -> Bool {
    guard let store = log.store else { return false }
    let files = store.takeUnsynced(at: now)
    if files.isEmpty { return false }
    var failure: StorageError?
    for file in files {
      do throws(StorageError) { try file.sync(loader.files) } catch { failure = error }
    }
    for event in store.synced(failure, log, at: now) { store.report(event) }
    return true
  }

  /// Lets go of every log without another word to its disk, as the end of the process would: for tests of it.
  package func abandon() { logs.withLock { $0.removeAll() } }

  var openLogs: [PacketLog] { logs.withLock { $0 } }

  func add(_ log: PacketLog) { logs.withLock { $0.append(log) } }

  /// Blocks until the log is written and sealed; it is synced behind that, by the thread for it. Waits for no other
  /// log, and for no sync.
  func close(_ log: PacketLog) {
    let wasOpen = logs.withLock { logs in
      let place = logs.firstIndex { $0 === log }
      if let place { logs.remove(at: place) }
      return place != nil
    }
    guard wasOpen else { return }
    let files = log.store?.finish(log) ?? []
    tellGivenUp()
    syncSoon(files)
  }

  /// By the thread for it; nobody is told how it went.
  func syncSoon(_ files: [UnsyncedFile]) {
    if files.isEmpty { return }
    closed.withLock { $0 = ($0 + files).suffix(Self.closedMax) }
    syncSignal.raise()
  }
}
