import GRDB
import Glibc

/// A number that a database is known by, drawn once and kept in its header (`PRAGMA application_id`).
///
/// The mark tells a database that comes back with its disk from another one that has the same inode there.
enum DatabaseMark {
  /// Sets the number where there is none yet. A disk that refuses it leaves the database without one.
  static func set(in pool: DatabasePool) {
    guard let mark = try? pool.read(mark), mark == 0 else { return }
    try? pool.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA application_id = \(Int32.random(in: 1...Int32.max))")
      // From the write-ahead log to the file, where `mark(at:)` reads it.
      try db.checkpoint(.passive)
    }
  }

  /// Returns the number of an open database; 0 without one.
  static func mark(_ db: Database) throws -> Int32 {
    try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
  }

  /// Returns the number of a database that is not open; nil when it cannot be read.
  static func mark(at path: String) -> Int32? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4)
    // Where SQLite's format has it, big-endian (sqlite.org/fileformat2.html, 1.3).
    guard pread(file, &bytes, bytes.count, 68) == bytes.count else { return nil }
    return Int32(bitPattern: bytes.reduce(0) { $0 << 8 | UInt32($1) })
  }
}
