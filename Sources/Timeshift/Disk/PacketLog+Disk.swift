import CLinux
import Glibc
import Synchronization
import Wire

extension PacketLog {
  /// Opens the log in `directory`, or makes both, and goes on where the log ended. Blocks: scans and mends the folder.
  ///
  /// Calls `report` on the storage's thread, and before this returns.
  ///
  /// - Parameter watch: where its calls are recorded; nil for nowhere.
  /// - Throws: when the directory cannot be used, or holds a newer format; files are then untouched.
  public static func open(
    directory: String, configuration: LogConfiguration, storage: Storage, at now: Moment,
    watch: CallWatch? = nil, report: @escaping @Sendable (StorageEvent) -> Void
  ) throws(StorageError) -> PacketLog {
    guard configuration.retention > .zero else {
      return PacketLog(memoryOnly: configuration, at: now)
    }
    let files = storage.loader.files
    let folder = try FolderMend(
      directory: directory, files: watch.map(files.watched) ?? files)
    folder.forgetSetAside(configuration, report)
    var lists = folder.lists
    lists.storage = .healthy
    lists.diskEdge = lists.edge.position
    lists.setAside = folder.scan.unbelieved.count
    lists.air.boot = storage.loader.files.boot
    lists.air.resume(since: lists.edge.media, at: now)
    let store = LogStore(
      directory: directory, configuration: configuration, id: folder.id, found: lists,
      on: storage.loader.files.disk(directory), storage: storage, report: report)
    let log = PacketLog(
      configuration, lists, disk: store, loudness: folder.scan.loudness,
      lastPacket: folder.scan.lastPacket)
    storage.add(log, store)
    folder.tell(storage, report)
    return log
  }

  /// Deletes the files of the closed log in `directory`, also those set aside, and the directory if it is then empty.
  public static func remove(directory: String) throws(StorageError) {
    let files = FileCalls.posix
    let (names, code) = files.list(directory)
    if code == -ENOENT { return }
    if code < 0 { throw StorageError(call: "opendir", path: directory, code: -code) }
    for name in names where isOurs(name) {
      let path = "\(directory)/\(name)"
      let result = files.remove(path)
      if result < 0 && result != -ENOENT {
        throw StorageError(call: "unlink", path: path, code: -result)
      }
    }
    rmdir(directory)
  }

  /// The format of the newest segment in `directory`, whether its log is open or not. Nil if none can be read. Blocks.
  public static func newestFormat(directory: String) -> AudioFormat? {
    let files = FileCalls.posix
    let indexes = files.list(directory).names.compactMap { SegmentFormat.parse(name: $0) }
      .filter { $0.kind == SegmentFormat.indexExtension }
    guard let newest = indexes.max(by: { $0.position < $1.position }) else { return nil }
    let path = "\(directory)/\(SegmentFormat.name(newest.position)).\(newest.kind)"
    guard let file = try? LogFile(path, O_RDONLY, files),
      let bytes = try? file.read(SegmentFormat.headerBytes, at: 0),
      case .header(let header, _) = bytes.withUnsafeBytes({ SegmentHeader.read($0) })
    else { return nil }
    return header.format
  }

  private static func isOurs(_ name: String) -> Bool {
    SegmentFormat.parse(name: name) != nil || SetAside.position(of: name) != nil
      || name == SegmentFormat.idFile || name == SegmentFormat.idFile + ".new"
  }
}
