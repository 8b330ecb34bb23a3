import GRDB
import Glibc
import Timeshift
import Wire

/// Handles a disk without room for the store, which then is in memory until there is room.
enum StoreRoom {
  /// Free bytes below which a disk counts as full; SQLite's own files of a new database have less.
  private static let bytesMin: UInt64 = 2_000_000

  /// Whether a database cannot be opened for lack of room: the error says so, or the disk is full.
  static func isMissing(_ error: any Error, at path: String) -> Bool {
    guard let error = error as? DatabaseError else { return isFull(path) }
    if error.resultCode == .SQLITE_FULL { return true }
    return [.SQLITE_IOERR, .SQLITE_CANTOPEN].contains(error.resultCode) && isFull(path)
  }

  private static func isFull(_ path: String) -> Bool {
    let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
    return FileCalls.posix.free(folder) < bytesMin
  }

  /// Returns a database in memory, with the rows of the one on the disk if there is one.
  static func inMemory(_ path: String) throws -> DatabaseQueue {
    let memory = try DatabaseQueue()
    var status = stat()
    if lstat(path, &status) == 0, status.st_size > 0 {
      var configuration = GRDB.Configuration()
      configuration.label = "longwave.store.full"
      // Sharing a database in use with other programs needs room; this one is not shared.
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
      let disk = try DatabaseQueue(path: path, configuration: configuration)
      try disk.backup(to: memory)
      try disk.close()
    }
    try StoreSchema.migrator.migrate(memory)
    return memory
  }
}
