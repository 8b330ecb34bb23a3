import GRDB

/// Columns as they are: GRDB ends the process for a column that is not there, or a value that is not of the type that is
/// asked for, and whatever has been at the file may have put one there.
extension Row {
  /// nil: NULL, or no whole number of 64 bits.
  func integer(_ column: String) -> Int64? { Int64.fromDatabaseValue(value(column)) }

  /// nil: NULL, or no text.
  func text(_ column: String) -> String? { String.fromDatabaseValue(value(column)) }

  func value(_ column: String) -> DatabaseValue {
    hasColumn(column) ? self[column] : .null
  }
}
