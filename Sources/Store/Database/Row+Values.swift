import Foundation
import GRDB
import Wire

/// Reads columns without trusting their types: GRDB ends the process for a wrong type, or a missing column.
extension Row {
  /// Returns a whole number; nil for NULL, or for anything but a whole number of 64 bits.
  func integer(_ column: String) -> Int64? { Int64.fromDatabaseValue(value(column)) }

  /// Returns a text; nil for NULL, or for anything but text.
  func text(_ column: String) -> String? { String.fromDatabaseValue(value(column)) }

  /// Returns a number; nil for NULL, or for anything but a number within the bounds.
  func real(_ column: String, in bounds: ClosedRange<Double>) -> Double? {
    guard let number = Double.fromDatabaseValue(value(column)), bounds.contains(number) else {
      return nil
    }
    return number
  }

  /// Returns a track's key; nil for NULL, or for anything but one.
  func track(_ column: String) -> TrackKey? {
    guard let bytes = Data.fromDatabaseValue(value(column)) else { return nil }
    return TrackKey(bytes: bytes)
  }

  func value(_ column: String) -> DatabaseValue {
    hasColumn(column) ? self[column] : .null
  }
}
