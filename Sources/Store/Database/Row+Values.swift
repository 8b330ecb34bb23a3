import GRDB

/// Reads columns without trusting their types: GRDB ends the process for a wrong type, or a missing column.
extension Row {
  /// Returns a whole number; nil for NULL, or for anything but a whole number of 64 bits.
  func integer(_ column: String) -> Int64? { Int64.fromDatabaseValue(value(column)) }

  /// Returns a text; nil for NULL, or for anything but text.
  func text(_ column: String) -> String? { String.fromDatabaseValue(value(column)) }

  func value(_ column: String) -> DatabaseValue {
    hasColumn(column) ? self[column] : .null
  }
}
