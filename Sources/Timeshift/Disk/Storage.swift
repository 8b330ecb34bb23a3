import CLinux
import Glibc
import Synchronization
import Threads
import Wire

/// A log and its side of the disk.
struct OpenLog: Sendable {
  let log: PacketLog
  let store: LogStore
}

/// The four threads between all logs and a disk.
///
/// One writes all logs, one syncs what was written, one fetches what readers ask for, and one reads everything once a
/// day to find damage. Neither ingest nor sending ever waits for these threads, and nothing waits for a sync: a disk
/// may take a minute for one. Each turn syncs at most `syncsPerTurn` logs, so that 320 logs are synced every 5 s and
/// 1,000 every 16 s.
public final class Storage: Sendable {
  static let syncsPerTurn = 16
  /// The most files of closed logs remembered until they are synced; the kernel writes older ones in its own time.
  static let closedMax = 4096

  /// The pause between two rounds of more indexes than there are handles: two 25 ms slots of a loop.
  static let roundMicroseconds: UInt32 = 50_000

  let loader: SegmentLoader
  let signal = Signal()
  let syncInterval: Int64
  private let flushInterval: Int64
  private let logs = Mutex<[OpenLog]>([])
  /// The log with which the next turn of syncs begins, so that every log gets its turn.
  private let firstToSync = Mutex(0)
  /// Files of closed logs, still to be synced.
  private let closed = Mutex<[UnsyncedFile]>([])
  private let syncSignal = Signal()
  private let scrubber: Scrubber
  private let scrubSignal = Signal()
  /// Milliseconds from one search for due segments to the next. The first search waits as long: a start has other work.
  private static let scrubPause: Int32 = 60_000
  /// How much logs may give up when full, by the device number of their file system.
  let relief = Mutex<[Int64: DiskRelief]>([:])
  /// Segments given up on full disks, not yet reported.
  let givenUp = Mutex<[(LogStore, StorageEvent)]>([])
  /// Calls of the threads that the disk has not answered yet.
  let calls = CallWatch()
  /// The reasons reported to logs since the disk hangs.
  let hangs = Mutex<Set<String>>([])
  private let isStopping = Atomic<Bool>(false)
  private let threads = Mutex<[SystemThread]>([])
  /// How long the turns of the writing thread took.
  private let turns = Mutex(DurationCounts())

  /// - Parameters:
  ///   - handlesMax: the most segments open for readers, in all logs together.
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

  /// Starts the threads. False: the system gives no more threads; `stop` ends those that run.
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

  /// Writes what there is, syncs closed logs, and ends the threads. The logs stay open. Blocks.
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

  /// Takes one turn of each thread, for a caller that runs no threads.
  public func runOnce(at now: MonotonicTime) {
    writeLogs(at: now.nanoseconds)
    syncLogs(at: now.nanoseconds)
    _ = serve()
  }

  /// Reads what is due, for a caller that runs no threads. `rest` receives the number of bytes after which it may rest.
  func scrubOnce(at now: MonotonicTime, rest: (Int) -> Bool = { _ in true }) {
    for open in logs.withLock({ $0 }) {
      scrubber.run(open.log, at: now.nanoseconds, rest: rest)
      tellDamage()
    }
  }

  private func write() {
    while !isStopping.load(ordering: .sequentiallyConsistent) {
      signal.wait(milliseconds: Int32(flushInterval / 1_000_000))
      let start = MonotonicTime.now().nanoseconds
      writeLogs(at: start)
      let nanoseconds = MonotonicTime.now().nanoseconds - start
      turns.withLock { $0.add(nanoseconds: nanoseconds) }
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
      // Readers get their turn before the next round takes handles from them.
      if isMore { usleep(Self.roundMicroseconds) } else { loader.signal.wait(milliseconds: -1) }
      isMore = serve()
    }
  }

  /// Serves requests once. True: more are waiting.
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

  /// Reports new damage to the logs of the segments.
  private func tellDamage() {
    for (file, damage) in loader.popUntold() {
      let open = logs.withLock { logs in logs.first { $0.store.directory == file.directory } }
      guard let open else { continue }
      // A segment given up meanwhile is not damaged but gone.
      let isHeld = open.log.change { lists -> Bool in
        guard lists.segments.contains(where: { $0.file === file }) || lists.active?.file === file
        else { return false }
        lists.damaged += 1
        return true
      }
      if isHeld {
        open.store.report(
          .damaged(
            position: damage.start.position, file: file.audioPath, reason: damage.reason))
      }
    }
  }

  private func writeLogs(at now: Int64) {
    for open in logs.withLock({ $0 }) {
      // Reported while no lock is held.
      let events = open.store.turn(open.log, at: now)
      tellGivenUp()
      for event in events { open.store.report(event) }
    }
  }

  private func syncLogs(at now: Int64) {
    while let file = closed.withLock({ $0.popLast() }) {
      // Its log is closed, so a failure is reported to none.
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

  /// Syncs one log. False: there was nothing to sync.
  private func sync(_ open: OpenLog, at now: Int64) -> Bool {
    let files = open.store.popUnsynced(at: now)
    if files.isEmpty { return false }
    var failure: StorageError?
    for file in files {
      do throws(StorageError) { try file.sync(loader.files) } catch { failure = error }
    }
    for event in open.store.synced(failure, open.log, at: now) { open.store.report(event) }
    return true
  }

  /// Forgets every log without another call to its disk, as the end of the process would. For tests of that.
  package func abandon() { logs.withLock { $0.removeAll() } }

  var openLogs: [OpenLog] { logs.withLock { $0 } }

  var figures: StorageFigures {
    var figures = StorageFigures()
    figures.turns = turns.withLock { $0 }
    (figures.writes, figures.syncs) = calls.durations
    figures.loadsPending = loader.pending
    return figures
  }

  func add(_ log: PacketLog, _ store: LogStore) {
    logs.withLock { $0.append(OpenLog(log: log, store: store)) }
  }

  /// Writes and seals the log; the sync thread syncs it afterwards. Blocks, but waits for no other log and no sync.
  func close(_ store: LogStore) {
    let open = logs.withLock { logs in
      logs.firstIndex { $0.store === store }.map { logs.remove(at: $0) }
    }
    guard let open else { return }
    let files = store.finish(open.log)
    loader.close(
      open.log.lists.withLock { $0.segments.map(\.file) + [$0.active?.file].compactMap(\.self) })
    tellGivenUp()
    syncSoon(files)
  }

  /// Hands files to the sync thread; a failure is not reported.
  func syncSoon(_ files: [UnsyncedFile]) {
    if files.isEmpty { return }
    closed.withLock { $0 = ($0 + files).suffix(Self.closedMax) }
    syncSignal.raise()
  }
}
