import Synchronization

/// One storage for each disk that holds logs. A slow or hanging disk then keeps only its own logs from being written
/// and read.
///
/// The first storage is that of the home of all logs. A log's folder may be a link to another disk, which gets its own
/// storage, with four more threads.
public final class Storages: Sendable {
  /// The most storages; logs on further disks share the first one.
  static let countMax = 8

  private let home: String
  private let files: FileCalls
  private let handlesMax: Int
  private let first: Storage
  /// Storages of other disks, by the file system's device number.
  private let further = Mutex<[Int64: Storage]>([:])
  /// The storage last given to each folder that has answered.
  private let given = Mutex<[String: Storage]>([:])
  /// Stands for the device number of a disk that has never answered.
  private static let unknownDisk = Int64.min
  private let isStarted = Atomic<Bool>(false)

  /// - Parameters:
  ///   - home: the folder that the logs' folders are in.
  ///   - handlesMax: the most segments open for readers on the first disk; each other disk gets an eighth of it.
  public init(home: String, files: FileCalls = .posix, handlesMax: Int = 256) {
    self.home = home
    self.files = files
    self.handlesMax = handlesMax
    first = Storage(files: files, handlesMax: handlesMax)
  }

  /// Returns the storage of the disk that a log's folder is on; the first one's for a missing folder. Blocks.
  ///
  /// - Parameter watch: where the calls are recorded; nil for nowhere.
  public func storage(for directory: String, watch: CallWatch? = nil) -> Storage {
    let files = watch.map(files.watched) ?? files
    let disk = files.disk(directory)
    guard disk >= 0 else { return first }
    let storage = disk == files.disk(home) ? first : storage(ofDisk: disk)
    given.withLock { $0[directory] = storage }
    return storage
  }

  /// Returns the storage that a hanging folder had before, without asking the folder.
  ///
  /// Folders that have never answered share one storage, and keep no other log from its disk.
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

  /// Reports disks that hang, or hang no more, to their logs. Called every few seconds; waits for nothing.
  public func tellHangs() {
    for storage in [first] + further.withLock({ Array($0.values) }) { storage.tellHang() }
  }

  /// What the threads of all disks have done.
  public var figures: StorageFigures {
    var figures = first.figures
    for storage in further.withLock({ Array($0.values) }) { figures.add(storage.figures) }
    return figures
  }

  /// Starts the threads. False: the system gives no more threads; `stop` ends those that run.
  public func start() -> Bool {
    isStarted.store(true, ordering: .sequentiallyConsistent)
    return first.start()
  }

  /// Writes what there is, syncs closed logs, and ends the threads. The first disk ends before the others. Blocks.
  public func stop() {
    isStarted.store(false, ordering: .sequentiallyConsistent)
    first.stop()
    for storage in further.withLock({ Array($0.values) }) { storage.stop() }
  }
}
