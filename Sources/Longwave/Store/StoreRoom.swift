import GRDB
import Glibc
import Wire

/// A store for which the disk has no room: it is in memory until there is some.
enum StoreRoom {
  /// SQLite's own files of a new database have less.
  private static let bytesMin: UInt64 = 2_000_000

  /// Whether that is why a database cannot be opened: it is said, or there is none.
  static func isMissing(_ error: any Error, at path: String) -> Bool {
    guard let error = error as? DatabaseError else { return isFull(path) }
    if error.resultCode == .SQLITE_FULL { return true }
    return [.SQLITE_IOERR, .SQLITE_CANTOPEN].contains(error.resultCode) && isFull(path)
  }

  private static func isFull(_ path: String) -> Bool {
    guard let free = bytesFree(path) else { return false }
    return free < bytesMin
  }

  /// Of the file system that a file is on, or would be.
  private static func bytesFree(_ path: String) -> UInt64? {
    var status = statvfs()
    let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
    guard statvfs(folder, &status) == 0 else { return nil }
    return UInt64(status.f_bavail).saturatingMultiply(UInt64(status.f_frsize))
  }

  /// A database in memory, with the rows of the one on the disk where that can be read.
  static func inMemory(_ path: String) throws -> DatabaseQueue {
    let memory = try DatabaseQueue()
    var status = stat()
    if lstat(path, &status) == 0, status.st_size > 0 {
      var configuration = GRDB.Configuration()
      configuration.label = "longwave.store.full"
      // What others share of a database that is being written needs room; nobody else has this one.
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
      let disk = try DatabaseQueue(path: path, configuration: configuration)
      try disk.backup(to: memory)
      try disk.close()
    }
    try StoreSchema.migrator.migrate(memory)
    return memory
  }
}
