import GRDB
import Glibc
import Settings

extension DiskAdvice {
  /// Returns advice for an SQLite error; nil when the disk is not the cause, as far as can be seen.
  static func of(_ error: DatabaseError, at path: String) -> String? {
    switch error.resultCode {
    case .SQLITE_IOERR: of(EIO, at: path)
    case .SQLITE_FULL: of(ENOSPC, at: path)
    case .SQLITE_BUSY, .SQLITE_LOCKED: StoreHolders.advice(path)
    case .SQLITE_READONLY, .SQLITE_CANTOPEN:
      // SQLite makes further files beside the database.
      [path, folder(of: path)].lazy.compactMap { place in
        refusal(place).map { of($0, at: place) }
      }.first
    default: nil
    }
  }
}
