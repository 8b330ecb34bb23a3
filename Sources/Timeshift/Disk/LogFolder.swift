import Glibc

/// The folder of one log.
enum LogFolder {
  /// Makes the folder and all missing parents.
  static func make(_ directory: String, _ files: FileCalls) throws(StorageError) {
    // Works on bytes, as the kernel does with paths: a name may begin with a combining accent.
    var path = directory.utf8.first == UInt8(ascii: "/") ? "" : "."
    var paths: [String] = []
    for part in directory.utf8.split(separator: UInt8(ascii: "/")) {
      path += "/\(Substring(part))"
      paths.append(path)
      let result = files.makeDirectory(path)
      // An existing parent will do even if the process may not write to it.
      if result < 0 && result != -EEXIST && result != -EISDIR && result != -EROFS
        && result != -EACCES
      {
        throw StorageError(call: "mkdir", path: path, code: -result)
      }
    }
    for path in paths.suffix(2) { try refuseForeignLink(path) }
  }

  /// Throws if the path is a link that belongs to neither this user nor root.
  ///
  /// A station's folder, or that of all stations, may be a link to another disk. Another user's link may lead anywhere.
  private static func refuseForeignLink(_ path: String) throws(StorageError) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, status.st_uid != 0,
      status.st_uid != geteuid()
    else { return }
    throw StorageError(
      "is a link of another user's (\(status.st_uid)); make it the relay's own", path: path)
  }

  /// Reads the id of the log that a folder belongs to; nil if the folder does not tell.
  static func id(_ directory: String, _ files: FileCalls) throws(StorageError) -> [UInt8]? {
    let path = "\(directory)/\(SegmentFormat.idFile)"
    // A power cut leaves zeros in an id file that was not synced.
    guard let id = try head(path, SegmentFormat.idBytes + 1, files),
      id.count == SegmentFormat.idBytes, id.contains(where: { $0 != 0 })
    else { return nil }
    return id
  }

  /// Writes a log's id into its folder, and returns the file to be synced.
  ///
  /// No caller waits for the sync: if the id is lost, each segment still has it.
  static func claim(
    _ directory: String, for id: [UInt8], _ files: FileCalls
  ) throws(StorageError) -> UnsyncedFile {
    let path = "\(directory)/\(SegmentFormat.idFile)"
    let fresh = path + ".new"
    let file = try LogFile(fresh, O_WRONLY | O_CREAT | O_TRUNC, files)
    try file.write(id)
    let result = files.rename(fresh, path)
    if result < 0 { throw StorageError(call: "rename", path: path, code: -result) }
    return .closed(path)
  }

  /// Reads the first bytes of a file; nil if it is missing, or is a link, a pipe or anything that the log never makes.
  static func head(
    _ path: String, _ count: Int, _ files: FileCalls
  ) throws(StorageError) -> [UInt8]? {
    try open(path, files).map { file throws(StorageError) in try file.read(count, at: 0) }
  }

  static func open(_ path: String, _ files: FileCalls) throws(StorageError) -> LogFile? {
    do throws(StorageError) {
      return try LogFile(path, O_RDONLY, files)
    } catch {
      if [ENOENT, ELOOP, EINVAL].contains(error.code) { return nil }
      throw error
    }
  }

  static func names(_ directory: String, _ files: FileCalls) throws(StorageError) -> [String] {
    let (names, code) = files.list(directory)
    if code < 0 { throw StorageError(call: "opendir", path: directory, code: -code) }
    return names
  }

  /// The starts of the segments whose index files are among `names`.
  static func segments(among names: [String]) -> Set<UInt64> {
    Set(
      names.compactMap { SegmentFormat.parse(name: $0) }
        .filter { $0.kind == SegmentFormat.indexExtension }.map(\.position))
  }
}
