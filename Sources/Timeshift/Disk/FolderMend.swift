import Synchronization

/// Makes a folder what a scan believes it to be. For the one process whose log it is.
///
/// 1. `log.id` is written again if it does not say what the segments do; an empty folder gets a new id.
/// 2. The files of segments that cannot be believed are renamed to `.bad` and counted (`SetAside`).
/// 3. Segments that were being written are cut behind their last whole span, and sealed.
struct FolderMend {
  let scan: FolderScan
  let id: [UInt8]
  private(set) var lists: LogLists
  /// Files that were written and are still to be synced.
  private(set) var unsynced: [UnsyncedFile] = []

  /// Scans and mends a folder, or makes it.
  init(directory: String, files: FileCalls) throws(StorageError) {
    try LogFolder.make(directory, files)
    try self.init(FolderScan(directory: directory, files: files))
  }

  init(_ scan: FolderScan) throws(StorageError) {
    self.scan = scan
    lists = scan.lists
    id = scan.id ?? (0..<SegmentFormat.idBytes).map { _ in UInt8.random(in: 0...255) }
    if !scan.isClaimed { unsynced.append(try LogFolder.claim(scan.directory, for: id, scan.files)) }
    for path in scan.unbelieved.values.flatMap(\.self) {
      _ = scan.files.rename(path, path + SetAside.ending)
    }
    for cut in scan.cuts { seal(cut) }
    for file in scan.checked { unsynced += [.closed(file.audioPath), .closed(file.indexPath)] }
  }

  private mutating func seal(_ cut: SegmentCut) {
    // If the disk is too full or read-only for this, the next process cuts and seals.
    guard var writer = try? SegmentWriter(cut, files: scan.files) else { return }
    try? writer.seal()
    lists.set(bytes: writer.info.bytes, of: cut.file)
  }
}

extension FolderMend {
  /// Deletes the oldest files set aside, at earlier starts too, but keeps those of this mending.
  func forgetSetAside(
    _ configuration: LogConfiguration, _ report: (StorageEvent) -> Void = { _ in }
  ) {
    let removed = SetAside(directory: scan.directory, files: scan.files)
      .remove(beyond: configuration.retentionBytes / 10, but: Set(scan.unbelieved.keys))
    if removed.files > 0 {
      report(.setAsideRemoved(files: removed.files, bytes: removed.bytes))
    }
  }

  /// Reports what the scan found, and hands the written files to the storage to be synced.
  func tell(_ storage: Storage, _ report: @Sendable (StorageEvent) -> Void) {
    storage.syncSoon(unsynced)
    if !scan.unbelieved.isEmpty { report(.setAside(scan.unbelieved.count)) }
    if let first = scan.leftOut.first {
      report(.leftOut(scan.leftOut.count, reason: first.description))
    }
  }
}
