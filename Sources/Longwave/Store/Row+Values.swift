import GRDB

/// Columns as they are: GRDB ends the process for a value that is not of the type that is asked for, and whatever has
/// been at the file may have put one there.
extension Row {
  /// nil: NULL, or no whole number of 64 bits.
  func integer(_ column: String) -> Int64? { Int64.fromDatabaseValue(self[column]) }

  /// nil: NULL, or no text.
  func text(_ column: String) -> String? { String.fromDatabaseValue(self[column]) }
}
