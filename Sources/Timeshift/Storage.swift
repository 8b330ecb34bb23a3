import CLinux
import Glibc
import Synchronization
import Wire

/// The threads that stand between logs and disks: one writes all logs, one fetches what readers ask for.
///
/// Nothing that ingests or sends ever waits for them. Syncing is bounded: at most `syncsPerTurn` segments a turn, so
/// that 320 logs are synced every 5 s and 1,000 every 16 s.
public final class Storage: Sendable {
  static let syncsPerTurn = 16

  let loader: SegmentLoader
  let signal = Signal()
  let syncInterval: Int64
  private let flushInterval: Int64
  private let logs = Mutex<[PacketLog]>([])
  /// Held while logs are written. It is the outermost lock: nobody who has another one waits for it.
  private let turn = Mutex<Turn>(Turn())
  private let isStopping = Atomic<Bool>(false)
  private let threads = Mutex<[pthread_t]>([])

  private struct Turn: Sendable {
    /// With whom the next turn begins, so that the bounded syncs come round.
    var first = 0
  }

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
      files: files, handlesMax: handlesMax,
      retryInterval: Int64(nanosecondsIn: readRetryInterval))
    self.flushInterval = Int64(nanosecondsIn: flushInterval)
    self.syncInterval = Int64(nanosecondsIn: syncInterval)
  }

  public func start() {
    threads.withLock { threads in
      precondition(threads.isEmpty, "a storage is started once")
      threads.append(startThread("storage") { [self] in write() })
      threads.append(startThread("storage.read") { [self] in read() })
    }
  }

  /// Blocks: writes what there is and ends the threads. The logs stay open.
  public func stop() {
    isStopping.store(true, ordering: .sequentiallyConsistent)
    signal.raise()
    loader.signal.raise()
    let running = threads.withLock { threads in
      defer { threads = [] }
      return threads
    }
    for thread in running { pthread_join(thread, nil) }
    isStopping.store(false, ordering: .sequentiallyConsistent)
    runOnce(at: .now())
  }

  /// One turn of both threads, for who runs none.
  public func runOnce(at now: MonotonicTime) {
    writeLogs(at: now.nanoseconds)
    loader.serve()
  }

  private func write() {
    while !isStopping.load(ordering: .sequentiallyConsistent) {
      signal.wait(milliseconds: Int32(flushInterval / 1_000_000))
      writeLogs(at: MonotonicTime.now().nanoseconds)
    }
  }

  private func read() {
    while !isStopping.load(ordering: .sequentiallyConsistent) {
      loader.signal.wait(milliseconds: -1)
      loader.serve()
    }
  }

  private func writeLogs(at now: Int64) {
    let logs = logs.withLock { $0 }
    guard !logs.isEmpty else { return }
    let told = turn.withLock { turn in
      var told: [(PacketLog, [StorageEvent])] = []
      var syncs = Self.syncsPerTurn
      for step in logs.indices {
        let log = logs[(turn.first + step) % logs.count]
        let events = log.store?.turn(log, at: now, syncs: &syncs) ?? []
        if !events.isEmpty { told.append((log, events)) }
      }
      turn.first = (turn.first + Self.syncsPerTurn) % logs.count
      return told
    }
    // Told when no lock is held.
    for (log, events) in told {
      for event in events { log.store?.report(event) }
    }
  }

  /// Lets go of every log without another word to its disk, as the end of the process would: for tests of it.
  package func abandon() { logs.withLock { $0.removeAll() } }

  func add(_ log: PacketLog) { logs.withLock { $0.append(log) } }

  /// Blocks until the log is written and sealed.
  func close(_ log: PacketLog) {
    let wasOpen = logs.withLock { logs in
      let place = logs.firstIndex { $0 === log }
      if let place { logs.remove(at: place) }
      return place != nil
    }
    guard wasOpen else { return }
    turn.withLock { _ in log.store?.finish(log) }
  }
}

private final class ThreadBody: Sendable {
  let name: String
  let run: @Sendable () -> Void

  init(_ name: String, _ run: @escaping @Sendable () -> Void) {
    self.name = name
    self.run = run
  }
}

func startThread(_ name: String, _ run: @escaping @Sendable () -> Void) -> pthread_t {
  let body = Unmanaged.passRetained(ThreadBody(name, run))
  var thread = pthread_t()
  let result = pthread_create(&thread, nil, runThread, body.toOpaque())
  precondition(result == 0, "a thread can be made when the process starts")
  return thread
}

private func runThread(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  let body = Unmanaged<ThreadBody>.fromOpaque(body!).takeRetainedValue()
  linux_name_thread(body.name)
  body.run()
  return nil
}
