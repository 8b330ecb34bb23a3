import Synchronization
import Wire

// How a log that began in memory, because its folder could not be used, moves to the folder.
extension PacketLog {
  /// Makes a log that is in memory until its folder can be used (`adoptFolder`).
  ///
  /// The log begins behind every position that the folder may hold. Its audio is kept as long as for a slow disk.
  ///
  /// - Parameter told: the highest position that earlier processes are known to have told; the log begins above it.
  public convenience init(
    awaiting storage: Storage, _ configuration: LogConfiguration, above told: UInt64 = 0,
    at now: Moment, since failure: StorageError
  ) {
    var lists = LogLists(edge: LogJoint.start(at: now.wall, above: told))
    lists.storage = .failed(failure.description)
    lists.diskEdge = lists.edge.position
    lists.air.boot = storage.loader.files.boot
    self.init(configuration, lists, disk: AwaitedFolder(storage))
  }

  /// Goes on in `directory`, behind what is there. Blocks: scans and mends the folder.
  ///
  /// Readers and the writer notice nothing: positions stay as they are, and the folder's content becomes the past
  /// before them.
  ///
  /// - Throws: as `open` does; the log then stays in memory.
  ///
  /// - Returns: false if nothing has been appended yet, or the folder reaches beyond this log's beginning, as after the
  ///   clock was set back. The folder is then opened as another log.
  public func adoptFolder(
    _ directory: String, configuration: LogConfiguration, at now: Moment,
    report: @escaping @Sendable (StorageEvent) -> Void
  ) throws(StorageError) -> Bool {
    guard let awaited = disk as? AwaitedFolder, !awaited.hasFolder, !isEmpty else { return false }
    let storage = awaited.storage
    let folder = try FolderMend(directory: directory, files: storage.loader.files)
    var old = folder.lists
    guard old.edge.position <= start.position else { return false }
    old.setAside = folder.scan.unbelieved.count
    old.air.boot = storage.loader.files.boot
    old.air.resume(since: old.edge.media, at: now)
    let tail = LogTail(lists: old, files: storage.loader.files)
      .packets(seconds: JointSearch.tailSeconds)
    // Asked before the change, since nothing may wait for the disk under the lists' lock.
    let number = storage.loader.files.disk(directory)
    var shift = MediaTime.zero
    let (isOverflown, store) = change { lists in
      let isOverflown = lists.memoryOldest != start
      let joint = lists.joint(behind: old, tail, began: start, at: now)
      shift = joint.next.media - old.edge.media
      old = old.moved(by: shift)
      lists.adopt(old, joint: joint)
      lists.retention = configuration.retention
      lists.retentionBytes = configuration.retentionBytes
      lists.reserve = configuration.reserve
      // Set before readers find segments, and before the writer's next packet.
      let store = LogStore(
        directory: directory, configuration: configuration, id: folder.id, found: old, on: number,
        from: joint.next, mediaShift: shift, storage: storage, report: report)
      awaited.adopt(store)
      return (isOverflown, store)
    }
    loudness.withLock { $0.add(folder.scan.loudness, later: shift.nearestSecond) }
    if isOverflown { report(.holeOpened(position: folder.lists.edge.position)) }
    storage.add(self, store)
    folder.forgetSetAside(configuration, report)
    folder.tell(storage, report)
    return true
  }
}
