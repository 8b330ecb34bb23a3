import Foundation
import GRDB
import Wire

/// Where a page of tracks ends: what its order goes by of its last track.
///
/// So the next page begins there though that track is gone, or was played since.
public struct TrackPlace: Hashable, Sendable {
  enum Value: Hashable {
    case integer(Int64)
    case text(String)
    /// The first bytes of a longer text, which its row has whole.
    case beginning(String)
  }

  /// Bytes of a text: two of them, written as digits, are a quarter of what a request may be long.
  private static let textBytesMax = 256
  private static let valuesMax = 8

  /// Of what the order has columns for, and the row's id at the end; of ranks as `init(others:)` says.
  var values: [Value]

  init(_ values: [Value]) { self.values = values }

  /// The id of the track's row.
  var id: Int64? { if case .integer(let id)? = values.last { id } else { nil } }

  /// Whether the track's row has to be asked for what did not fit.
  var isCut: Bool { values.contains { if case .beginning = $0 { true } else { false } } }

  var arguments: StatementArguments {
    StatementArguments(
      values.map { value -> any DatabaseValueConvertible in
        switch value {
        case .integer(let number): number
        case .text(let text), .beginning(let text): text
        }
      })
  }

  // MARK: Rows

  /// - Parameter columns: the columns of the row that the order goes by.
  init(_ row: Row, _ columns: [String]) { values = columns.map { Self.value(row, $0) } }

  private static func value(_ row: Row, _ column: String) -> Value {
    let value: DatabaseValue = row[column]
    switch value.storage {
    case .int64(let number): return .integer(number)
    case .double(let number): return .integer(Int64(bounded: number))
    case .string(let text): return .text(text)
    case .blob, .null: return .integer(0)
    }
  }

  /// Takes from its row what did not fit.
  mutating func complete(with row: Row, _ columns: [String]) {
    for (index, column) in zip(values.indices, columns) {
      if case .beginning(let text) = values[index], let whole = row.text(column),
        whole.utf8.starts(with: text.utf8)
      {
        values[index] = .text(whole)
      }
    }
  }

  // MARK: Ranks

  /// Begins a place among what is sorted by rank, behind all that is just what was asked for.
  static let others = Value.integer(2)
  /// Rows that are remembered, for the case that some are gone.
  private static let rowsMax = 5

  /// - Parameters:
  ///   - shown: how many rows there were up to here.
  ///   - rows: the last of them.
  init(others shown: Int64, _ rows: [Int64]) {
    values = [Self.others, .integer(shown)] + rows.suffix(Self.rowsMax).map(Value.integer)
  }

  /// What `init(others:)` was given; nil of another place.
  var other: (shown: Int64, rows: [Int64])? {
    let numbers = values.compactMap { if case .integer(let number) = $0 { number } else { nil } }
    guard numbers.count == values.count, numbers.count >= 2 else { return nil }
    return (numbers[1], Array(numbers[2...]))
  }

  /// Goes on behind a row.
  mutating func pass(_ row: Int64) {
    guard let (shown, rows) = other else { return }
    self = TrackPlace(others: shown.saturatingAdd(1), rows + [row])
  }

  // MARK: Bytes

  /// What `init(bytes:)` reads.
  public var bytes: [UInt8] { Array(values.map(Self.bytes).joined(separator: [0])) }

  private static func bytes(_ value: Value) -> [UInt8] {
    switch value {
    case .integer(let number): return Array("i\(number)".utf8)
    case .beginning(let text): return Array("b\(text)".utf8)
    case .text(let text):
      var kept = text.utf8.prefix(textBytesMax).prefix { $0 != 0 }
      if kept.endIndex == text.utf8.endIndex { return Array("t\(text)".utf8) }
      // No part of a letter stays.
      while kept.endIndex.samePosition(in: text.unicodeScalars) == nil { kept.removeLast() }
      return Array("b".utf8) + kept
    }
  }

  /// Reads what `bytes` writes; nil of anything else.
  public init?(bytes: [UInt8]) {
    let parts = bytes.split(separator: 0, omittingEmptySubsequences: false)
    guard parts.count <= Self.valuesMax else { return nil }
    var values: [Value] = []
    for part in parts {
      guard let value = Self.value(part) else { return nil }
      values.append(value)
    }
    self.values = values
    guard id != nil else { return nil }
  }

  private static func value(_ bytes: ArraySlice<UInt8>) -> Value? {
    guard let kind = bytes.first, let text = String(validating: bytes.dropFirst(), as: UTF8.self)
    else { return nil }
    switch kind {
    case UInt8(ascii: "i"): return Int(text, in: .min ... .max).map { .integer(Int64($0)) }
    case UInt8(ascii: "t"): return .text(text)
    case UInt8(ascii: "b"): return .beginning(text)
    default: return nil
    }
  }
}
