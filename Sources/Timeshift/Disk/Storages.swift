import Synchronization

/// A storage for each disk that logs are on: one that hangs or is slow keeps only its own logs from being written and
/// read.
///
/// The first is that of the home of all logs. A log's folder may be a link to another disk, which then gets its own, with
/// four threads more.
public final class Storages: Sendable {
  /// What is on further disks shares the first one.
  static let countMax = 8

  private let home: String
  private let files: FileCalls
  private let handlesMax: Int
  private let first: Storage
  /// By the number of the file system.
  private let further = Mutex<[Int64: Storage]>([:])
  /// What each folder that has answered was given last.
  private let given = Mutex<[String: Storage]>([:])
  /// In the place of the number of a disk that has never answered.
  private static let unknownDisk = Int64.min
  private let isStarted = Atomic<Bool>(false)

  /// - Parameters:
  ///   - home: the folder that the logs' folders are in.
  ///   - handlesMax: segments open for readers at most, on the first disk; on each other one an eighth of it.
  public init(home: String, files: FileCalls = .posix, handlesMax: Int = 256) {
    self.home = home
    self.files = files
    self.handlesMax = handlesMax
    first = Storage(files: files, handlesMax: handlesMax)
  }

  /// Of the disk that a log's folder is on; one that is not there yet will be on the first. Blocks.
  public func storage(for directory: String) -> Storage {
    let disk = files.disk(directory)
    guard disk >= 0 else { return first }
    let storage = disk == files.disk(home) ? first : storage(ofDisk: disk)
    given.withLock { $0[directory] = storage }
    return storage
  }

  /// What a folder that hangs was given before, without asking it. Those that have never answered have one to themselves,
  /// and keep no other log from its disk.
  public func storage(notAnswering directory: String) -> Storage {
    given.withLock { $0[directory] } ?? storage(ofDisk: Self.unknownDisk)
  }

  private func storage(ofDisk disk: Int64) -> Storage {
    further.withLock { further in
      if let known = further[disk] { return known }
      guard further.count + 1 < Self.countMax else { return first }
      let storage = Storage(files: files, handlesMax: max(16, handlesMax / 8))
      if isStarted.load(ordering: .sequentiallyConsistent), !storage.start() {
        // The system gives no more threads.
        storage.stop()
        return first
      }
      further[disk] = storage
      return storage
    }
  }

  /// Tells the logs of disks that hang, and of those that do not any more: every few seconds. Waits for nothing.
  public func tellHangs() {
    for storage in [first] + further.withLock({ Array($0.values) }) { storage.tellHang() }
  }

  /// False: the system gives no more threads; those there are end by `stop`.
  public func start() -> Bool {
    isStarted.store(true, ordering: .sequentiallyConsistent)
    return first.start()
  }

  /// Blocks: writes what there is, syncs what was closed, and ends the threads. A disk that hangs is waited for last.
  public func stop() {
    isStarted.store(false, ordering: .sequentiallyConsistent)
    first.stop()
    for storage in further.withLock({ Array($0.values) }) { storage.stop() }
  }
}
