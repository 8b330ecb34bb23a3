import Glibc

/// Looks into the files of an open database.
///
/// The files stay open until the database is closed. Closing any descriptor of a file releases all of this process's
/// locks on it, SQLite's too (sqlite.org/howtocorrupt.html, 2.2).
final class DatabaseSight: Sendable {
  private let log: String
  private let database: Int32
  private let index: Int32

  /// The database is open.
  init(_ path: String) {
    log = path + "-wal"
    database = open(path, Self.flags)
    index = open(path + "-shm", Self.flags)
  }

  deinit { for file in [database, index] where file >= 0 { close(file) } }

  private static let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK

  /// Whether the files are at least as long as SQLite left them, and begin as it wrote them. A file that cannot be read
  /// counts as whole. On the disk's thread, on which SQLite writes.
  ///
  /// - Parameter mark: see `DatabaseMark`; 0 for none.
  func areWhole(mark: Int32) -> Bool {
    isDatabaseWhole(mark: UInt32(bitPattern: mark)) && isLogWhole
  }

  private func isDatabaseWhole(mark: UInt32) -> Bool {
    var status = stat()
    guard fstat(database, &status) == 0,
      let bytes = Self.read(database, DatabaseShape.Header.byteCount, at: 0)
    else { return true }
    guard let header = DatabaseShape.Header(bytes) else { return false }
    return UInt64(clamping: status.st_size) >= header.bytes && (mark == 0 || header.mark == mark)
  }

  private var isLogWhole: Bool {
    guard let bytes = Self.read(index, DatabaseShape.LogIndex.byteCount, at: 0),
      let known = DatabaseShape.LogIndex(bytes), known.bytes > 0
    else { return true }
    // SQLite has no locks on this one.
    let file = open(log, Self.flags)
    guard file >= 0 else { return true }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0,
      let salt = Self.read(file, known.salt.count, at: DatabaseShape.LogIndex.saltPlace)
    else { return true }
    return UInt64(clamping: status.st_size) >= known.bytes && salt == known.salt
  }

  /// Returns what the file has there, less at its end; nil when it cannot be read.
  private static func read(_ file: Int32, _ count: Int, at place: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let found = pread(file, &bytes, count, place)
    return found < 0 ? nil : Array(bytes.prefix(found))
  }
}
