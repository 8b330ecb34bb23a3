import GRDB
import GRDBSQLite
import Synchronization

/// Ends a read of a database for which nobody waits any more, so that others have its connection.
public final class ReadEnd: Sendable {
  /// Steps of SQLite's machine between two looks; some tens of microseconds.
  private static let steps: Int32 = 10_000

  private let flag = Atomic(false)

  public init() {}

  public func end() { flag.store(true, ordering: .relaxed) }

  public var isOver: Bool { flag.load(ordering: .relaxed) }

  /// Throws when the end comes while `work` reads.
  ///
  /// The corresponding C function is `sqlite3_progress_handler`. `sqlite3_interrupt` would miss an end that comes between
  /// two statements.
  func watch<Value>(_ db: Database, _ work: () throws -> Value) throws -> Value {
    if isOver { throw DatabaseError(resultCode: .SQLITE_INTERRUPT) }
    let look: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
      guard let context else { return 0 }
      return Unmanaged<ReadEnd>.fromOpaque(context).takeUnretainedValue().isOver ? 1 : 0
    }
    let own = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_progress_handler(db.sqliteConnection, Self.steps, look, own)
    defer { sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil) }
    return try withExtendedLifetime(self) { try work() }
  }
}
