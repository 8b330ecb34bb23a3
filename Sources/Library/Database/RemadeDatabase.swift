import Foundation
import GRDB
import GRDBSQLite
import Glibc
import Synchronization
import Wire

/// A database that can be lost: one that is damaged, of another version or deleted is made anew.
///
/// One thread at a time writes, any may read; all calls block.
final class RemadeDatabase: Sendable {
  /// What is in it.
  struct Kind: Sendable {
    /// In words that its path follows.
    var name: String
    var label: String
    /// Number of threads that may read at once.
    var readers: Int
    /// Of the tables; a database of another one is made anew.
    var version: Int
    /// Marks the file as one of this kind.
    var application: Int
    /// What becomes of it when it was lost, in words that follow "and".
    var remaking: String
    /// Whether all of it is checked when it is opened, which takes a second for some hundred MB.
    var isChecked = true
    /// Whether other programs are kept out while it is open.
    var isOwn = false
    /// Gives each connection the functions that questions may call.
    var prepare: @Sendable (Database) throws -> Void = { _ in }
    var make: @Sendable (Database) throws -> Void
  }

  let path: String
  private let kind: Kind
  /// Whether the folder that it is in is ours to write.
  private let mayWrite: @Sendable () -> Bool
  private let state = Mutex(State())

  private struct State {
    var pool: DatabasePool?
    /// Device and inode of the open file.
    var file: (UInt64, UInt64)?
    /// How often a database was made.
    var generation = 0
    /// Whether a read has shown that it is damaged.
    var isDamaged = false
    /// Whether it was closed for good.
    var isOver = false
    var remarks: [String] = []
    /// Why it could not be opened last.
    var failure: LibraryError?
  }

  /// Nothing is opened yet.
  init(_ path: String, _ kind: Kind, mayWrite: @escaping @Sendable () -> Bool = { true }) {
    (self.path, self.kind, self.mayWrite) = (path, kind, mayWrite)
  }

  /// Whether it is open, and no read has shown that it is damaged.
  var isSound: Bool { state.withLock { $0.pool != nil && !$0.isDamaged } }

  /// Number of databases that were made or opened.
  var generation: Int { state.withLock(\.generation) }

  /// What became of damaged databases, to be logged once.
  func popRemarks() -> [String] {
    state.withLock { state in
      defer { state.remarks = [] }
      return state.remarks
    }
  }

  /// Opens the database, or makes one where there is none that can be used. Does nothing while one is open and its file
  /// is there.
  func open() throws(LibraryError) { _ = try writable() }

  /// Closes it for good.
  func close() {
    state.withLock { $0.isOver = true }
    leave()
  }

  private func leave() {
    let pool = state.withLock { state in
      defer { (state.pool, state.file) = (nil, nil) }
      return state.pool
    }
    _ = try? pool?.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    try? pool?.close()
  }

  // MARK: Work

  /// - Parameter end: ends the read before its end; nil: nothing does.
  func read<Value>(
    until end: ReadEnd? = nil, _ work: (Database) throws -> Value
  ) throws(LibraryError) -> Value {
    let (pool, why) = state.withLock { ($0.pool, $0.failure) }
    guard let pool else {
      throw why
        ?? LibraryError("\(kind.name) is being opened; ask again in some seconds")
    }
    do {
      return try pool.read { db in
        guard let end else { return try work(db) }
        return try end.watch(db) { try work(db) }
      }
    } catch {
      if Self.isDamage(error) { state.withLock { $0.isDamaged = true } }
      throw failure(error)
    }
  }

  /// In one transaction.
  func write<Value>(_ work: (Database) throws -> Value) throws(LibraryError) -> Value {
    let pool = try writable()
    do {
      return try pool.write(work)
    } catch {
      if Self.isDamage(error) { state.withLock { $0.isDamaged = true } }
      throw failure(error)
    }
  }

  private func failure(_ error: any Error) -> LibraryError {
    if let error = error as? LibraryError { return error }
    let reason = (error as? DatabaseError).map { $0.message ?? "\($0.resultCode)" } ?? "\(error)"
    return LibraryError("\(kind.name) \(path) cannot be used: \(reason)")
  }

  // MARK: Opening

  private func writable() throws(LibraryError) -> DatabasePool {
    let (pool, file, isDamaged, isOver) = state.withLock {
      ($0.pool, $0.file, $0.isDamaged, $0.isOver)
    }
    if isOver { throw LibraryError("\(kind.name) is closed") }
    guard mayWrite() else {
      throw LibraryError("\(kind.name) \(path) is in a folder that is another relay's, or silent")
    }
    if let pool, !isDamaged, let file, let found = Self.file(at: path), found == file {
      return pool
    }
    do {
      if pool != nil {
        leave()
        if isDamaged { try setAside("is damaged") }
      }
      return try openOrMake()
    } catch {
      let why = failure(error)
      state.withLock { $0.failure = why }
      throw why
    }
  }

  private func openOrMake() throws -> DatabasePool {
    let pool: DatabasePool
    do {
      pool = try openPool()
    } catch  where Self.isDamage(error) {
      try setAside("is damaged")
      pool = try openPool()
    } catch is OtherVersion {
      try setAside("is of another version")
      pool = try openPool()
    }
    let file = Self.file(at: path)
    state.withLock { state in
      (state.pool, state.file, state.isDamaged, state.failure) = (pool, file, false, nil)
      state.generation += 1
    }
    return pool
  }

  private struct OtherVersion: Error {}

  private func openPool() throws -> DatabasePool {
    // What it names is nobody else's business; SQLite gives its companions the same mode.
    let made = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if made < 0, errno == ELOOP {
      // SQLite would follow it, and a damaged database be replaced by a file here.
      throw LibraryError("\(kind.name) \(path) is a link; put the file itself there")
    }
    if made >= 0 { Glibc.close(made) }
    if place != path { unlink(path + "-shm") }
    var configuration = GRDB.Configuration()
    // Nobody else has our own; another program that does keeps nobody waiting for long.
    configuration.busyMode = .timeout(kind.isOwn ? 0.5 : 5)
    configuration.label = kind.label
    configuration.maximumReaderCount = kind.readers
    configuration.prepareDatabase(kind.prepare)
    let pool = try DatabasePool(path: place, configuration: configuration)
    do {
      try pool.write { db in
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        let application = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let tables = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master") ?? 0
        if version == 0, application == 0, tables == 0 { return try kind.make(db) }
        guard version == kind.version, application == kind.application else {
          throw OtherVersion()
        }
        guard
          try !kind.isChecked || String.fetchOne(db, sql: "PRAGMA quick_check(1)") == "ok"
        else {
          throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
      }
      return pool
    } catch {
      try? pool.close()
      throw error
    }
  }

  /// What SQLite opens.
  ///
  /// Programs that share a database map the index of its log (`-shm`), and one that cuts that file off ends all others by
  /// a signal. The VFS unix-excl keeps the index in memory, and other programs out (sqlite.org/vfs.html). Where SQLite was
  /// built to take no URI, the database is shared.
  private var place: String {
    kind.isOwn && sqlite3_compileoption_used("USE_URI") != 0
      ? "file:\(PercentEncoding.path(Array(path.utf8)))?vfs=unix-excl" : path
  }

  /// Keeps one such database, for who wants to know what has happened to it.
  private func setAside(_ why: String) throws(LibraryError) {
    let aside = path + ".bad"
    guard rename(path, aside) == 0 else {
      let reason = String(cString: strerror(errno))
      throw LibraryError("\(kind.name) \(path) \(why), and cannot be renamed: \(reason)")
    }
    unlink(path + "-wal")
    unlink(path + "-shm")
    state.withLock {
      $0.remarks.append("\(kind.name) \(path) \(why); it is now \(aside), and \(kind.remaking)")
    }
  }

  private static func isDamage(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return false }
    return [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
  }

  private static func file(at path: String) -> (UInt64, UInt64)? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    return (UInt64(status.st_dev), UInt64(status.st_ino))
  }
}
