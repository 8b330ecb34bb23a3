import Glibc

/// Device and inode of the database's open files; they show when a file was deleted or replaced. Bytes written to such
/// a file are lost.
struct DatabaseFiles: Hashable, Sendable {
  private struct File: Hashable, Sendable {
    var disk: UInt64
    var number: UInt64
  }

  private let path: String
  /// The database, and its write-ahead log.
  private let files: [String: File]

  init(_ path: String) {
    self.path = path
    files = [path, path + "-wal"].reduce(into: [:]) { files, path in
      if case .file(let file) = Self.look(path) { files[path] = file }
    }
  }

  /// Whether all files are still there. A file that cannot be looked at counts as there.
  var areThere: Bool { files.allSatisfy { Self.isFound($0.value, at: $0.key) } }

  private static func isFound(_ file: File, at path: String) -> Bool {
    switch look(path) {
    case .file(let found): found == file
    case .none: false
    case .unknown: true
    }
  }

  /// Whether a database stands at the path that is not empty.
  var isAny: Bool {
    var status = stat()
    return files[path] != nil && lstat(path, &status) == 0 && status.st_size > 0
  }

  /// Whether it is the same database file.
  func isSame(as other: DatabaseFiles) -> Bool {
    files[path] != nil && files[path] == other.files[path]
  }

  /// Whether these files have the numbers of others, maybe on a disk that has become another device.
  func isBack(_ former: DatabaseFiles) -> Bool {
    guard let file = files[path], file.number == former.files[path]?.number else { return false }
    guard let log = files[path + "-wal"], let formerLog = former.files[path + "-wal"] else {
      return true
    }
    return log.number == formerLog.number
  }

  /// Whether another database has taken its place.
  var isReplaced: Bool {
    guard let file = files[path], case .file(let found) = Self.look(path) else { return false }
    return found != file
  }

  /// The change of the files, in words.
  var loss: String {
    if areThere { return "\(path) was changed by another program" }
    if isReplaced { return "\(path) was replaced" }
    let lost = files.keys.sorted().first { path in
      files[path].map { !Self.isFound($0, at: path) } ?? false
    }
    return "\(lost ?? path) was deleted"
  }

  /// Deletes the lost database's companions that still exist beside its path: they would damage another database.
  func removeCompanions() {
    if let log = files[path + "-wal"], Self.isFound(log, at: path + "-wal") {
      unlink(path + "-wal")
      unlink(path + "-shm")
    }
  }

  private enum Look {
    case file(File)
    case none
    case unknown
  }

  private static func look(_ path: String) -> Look {
    var status = stat()
    if lstat(path, &status) == 0 {
      return .file(File(disk: UInt64(status.st_dev), number: UInt64(status.st_ino)))
    }
    return [ENOENT, ENOTDIR].contains(errno) ? .none : .unknown
  }
}
