import Foundation
import GRDB
import Wire

/// Where a page of tracks ends: what its order goes by of its last track.
///
/// So the next page begins there though that track is gone, or was played since.
public struct TrackPlace: Hashable, Sendable {
  enum Value: Hashable {
    case integer(Int64)
    case real(Double)
    case text(String)
    /// The first bytes of a longer text, which its row has whole.
    case beginning(String)
  }

  /// Bytes of a text: two of them, written as digits, are a quarter of what a request may be long.
  private static let textBytesMax = 256
  private static let valuesMax = 16

  /// Of what the order has columns for, and the row's id at the end; of ranks as `init(isRanked:shown:)` says.
  var values: [Value]

  init(_ values: [Value]) { self.values = values }

  /// The id of the track's row.
  var id: Int64? { if case .integer(let id)? = values.last { id } else { nil } }

  /// Whether the track's row has to be asked for what did not fit.
  var isCut: Bool { values.contains { if case .beginning = $0 { true } else { false } } }

  /// What the row was ranked with; 0 where it has no rank.
  var rank: Double { if case .real(let rank)? = values.first { rank } else { 0 } }

  var arguments: StatementArguments {
    StatementArguments(
      values.map { value -> any DatabaseValueConvertible in
        switch value {
        case .integer(let number): number
        case .real(let number): number
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
    case .double(let number): return .real(number)
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

  /// A track that was shown, and its rank then; 0 where no ranks are asked for.
  struct Ranked: Hashable {
    var rank: Double
    var row: Int64
  }

  /// Begin a place behind all that is just what was asked for, among what is sorted by rank, and by row.
  private static let (ranked, unranked) = (Value.integer(2), Value.integer(3))
  /// Rows that are remembered, for the case that some are changed or gone.
  private static let rowsMax = 5

  /// - Parameters:
  ///   - isRanked: whether the page is sorted by rank; else by row.
  ///   - shown: how many rows there were up to here.
  ///   - rows: the last of them.
  init(isRanked: Bool, shown: Int64, _ rows: [Ranked]) {
    values = [isRanked ? Self.ranked : Self.unranked, .integer(shown)]
    values += rows.suffix(Self.rowsMax).flatMap { [.real($0.rank), .integer($0.row)] }
  }

  /// Whether it is behind all that is just what was asked for.
  var isOther: Bool { values.first == Self.ranked || values.first == Self.unranked }

  /// What `init(isRanked:shown:)` was given; nil of another place.
  var other: (isRanked: Bool, shown: Int64, rows: [Ranked])? {
    guard isOther, values.count.isMultiple(of: 2), case .integer(let shown) = values[1] else {
      return nil
    }
    var rows: [Ranked] = []
    for index in stride(from: 2, to: values.count, by: 2) {
      guard case .real(let rank) = values[index], case .integer(let row) = values[index + 1] else {
        return nil
      }
      rows.append(Ranked(rank: rank, row: row))
    }
    return (values.first == Self.ranked, shown, rows)
  }

  /// Goes on behind a row.
  mutating func pass(_ row: Ranked) {
    guard let (isRanked, shown, rows) = other else { return }
    self = TrackPlace(isRanked: isRanked, shown: shown.saturatingAdd(1), rows + [row])
  }

  // MARK: Bytes

  /// What `init(bytes:)` reads.
  public var bytes: [UInt8] { Array(values.map(Self.bytes).joined(separator: [0])) }

  private static func bytes(_ value: Value) -> [UInt8] {
    switch value {
    case .integer(let number): return Array("i\(number)".utf8)
    case .real(let number): return Array("r\(Int64(bitPattern: number.bitPattern))".utf8)
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
    case UInt8(ascii: "r"):
      return Int(text, in: .min ... .max)
        .map { .real(Double(bitPattern: UInt64(bitPattern: Int64($0)))) }
    case UInt8(ascii: "t"): return .text(text)
    case UInt8(ascii: "b"): return .beginning(text)
    default: return nil
    }
  }
}
