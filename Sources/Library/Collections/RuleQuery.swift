import Wire

/// A rule as a question to the library's database: a selection of `track.key`.
public struct RuleQuery {
  public enum Argument: Hashable, Sendable {
    case text(String)
    case integer(Int64)
    case number(Double)
  }

  /// A whole SELECT.
  public private(set) var sql = ""
  /// One for each question mark in it.
  public private(set) var arguments: [Argument] = []
  /// Whether the answer is to be put in order by `shuffled`.
  public let isRandom: Bool
  private let limit: Int

  /// Whether a track has a file that can be played.
  private static let isPlayable =
    "EXISTS (SELECT 1 FROM file WHERE file.track = track.id AND file.missingSince IS NULL "
    + "AND file.failed IS NULL)"
  private let fold: (String) -> String

  /// - Parameters:
  ///   - now: seconds since 1970.
  ///   - fold: the form in which the library compares titles and names.
  ///   - collection: the tracks of a collection that the rule names; empty of an unknown one.
  public init(
    _ rule: CollectionRule, at now: Int64, fold: @escaping (String) -> String,
    collection: (String) -> [TrackKey]
  ) {
    self.fold = fold
    isRandom = rule.orders.contains(.random)
    limit = rule.limit ?? CollectionRule.tracksMax
    let condition = condition(rule.condition, now, collection)
    var orders = rule.orders.compactMap { order -> String? in
      guard case .field(let field, let isDescending) = order else { return nil }
      return "\(field.sortColumn)\(isDescending ? " DESC" : "")"
    }
    orders.append("track.id")
    sql =
      "SELECT track.key FROM track WHERE \(Self.isPlayable) AND (\(condition)) "
      + "ORDER BY \(orders.joined(separator: ", "))"
    // What is put in order by chance is cut behind that.
    if !isRandom { sql += " LIMIT \(limit)" }
  }

  /// Returns the tracks that a rule means, of all that the question found.
  ///
  /// - Parameter seed: the same seed and tracks give the same order.
  public func shuffled(_ keys: [TrackKey], seed: Int64) -> [TrackKey] {
    guard isRandom else { return Array(keys.prefix(limit)) }
    let numbers = keys.map { Self.mixed($0.low ^ Self.mixed(UInt64(bitPattern: seed))) }
    let places = keys.indices.sorted { (numbers[$0], keys[$0]) < (numbers[$1], keys[$1]) }
    return places.prefix(limit).map { keys[$0] }
  }

  /// The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
  private static func mixed(_ number: UInt64) -> UInt64 {
    var mixed = number &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  private mutating func condition(
    _ condition: CollectionRule.Condition, _ now: Int64, _ collection: (String) -> [TrackKey]
  ) -> String {
    switch condition {
    case .all(let all):
      if all.isEmpty { return "1" }
      return all.map { self.condition($0, now, collection) }.map { "(\($0))" }
        .joined(separator: " AND ")
    case .any(let all):
      return all.map { self.condition($0, now, collection) }.map { "(\($0))" }
        .joined(separator: " OR ")
    case .member(let name, let isMember):
      let keys = collection(name).map { "\"\($0)\"" }.joined(separator: ",")
      arguments.append(.text("[\(keys)]"))
      return "lower(hex(track.key)) \(isMember ? "" : "NOT ")IN (SELECT value FROM json_each(?))"
    case .test(let test): return self.test(test, now)
    }
  }

  private mutating func test(_ test: CollectionRule.Test, _ now: Int64) -> String {
    func of(_ comparison: String) -> String {
      guard test.field.isOfFile else { return comparison }
      // One of several files is enough.
      return "EXISTS (SELECT 1 FROM file WHERE file.track = track.id AND \(comparison))"
    }
    let column = test.field.column
    switch (test.comparison, test.value) {
    case (.equals, .text(let text)): return of(equal(test.field, text))
    case (.differs, .text(let text)): return "NOT " + of(equal(test.field, text))
    case (.contains, .text(let text)): return of(like(test.field, "%", text, "%"))
    case (.notContains, .text(let text)): return "NOT " + of(like(test.field, "%", text, "%"))
    case (.startsWith, .text(let text)): return of(like(test.field, "", text, "%"))
    case (.endsWith, .text(let text)): return of(like(test.field, "%", text, ""))
    case (.equals, .number(let number)): return compare(column, "=", number)
    case (.differs, .number(let number)): return compare(column, "IS NOT", number)
    case (.greater, .number(let number)), (.after, .number(let number)):
      return compare(column, ">", number)
    case (.less, .number(let number)), (.before, .number(let number)):
      return compare(column, "<", number)
    case (.inTheRange, .range(let low, let high)):
      return compare(column, ">=", low) + " AND " + compare(column, "<=", high)
    case (.inTheLast, .number(let days)):
      return compare(column, ">=", Double(now) - days * 86_400)
    case (.notInTheLast, .number(let days)):
      return compare(column, "<", Double(now) - days * 86_400)
    case (.equals, .flag(let flag)), (.differs, .flag(let flag)):
      let isWanted = flag == (test.comparison == .equals)
      return "ifnull(\(column), 0) \(isWanted ? "<>" : "=") 0"
    default:
      // No rule that was read has it.
      return "0"
    }
  }

  private mutating func compare(_ column: String, _ sign: String, _ number: Double) -> String {
    arguments.append(Int64(exactly: number).map { .integer($0) } ?? .number(number))
    return "\(column) \(sign) ?"
  }

  private mutating func equal(_ field: CollectionRule.Field, _ text: String) -> String {
    // One of several genres is enough.
    if field == .genre { return like(field, "%\u{1F}", text, "\u{1F}%") }
    arguments.append(.text(field.isFolded ? fold(text) : text))
    return "\(field.column) = ? COLLATE NOCASE"
  }

  private mutating func like(
    _ field: CollectionRule.Field, _ before: String, _ text: String, _ behind: String
  ) -> String {
    var pattern = before
    for scalar in (field.isFolded ? fold(text) : text).unicodeScalars {
      if "%_\\".unicodeScalars.contains(scalar) { pattern += "\\" }
      pattern.unicodeScalars.append(scalar)
    }
    arguments.append(.text(pattern + behind))
    return "\(field.column) LIKE ? ESCAPE '\\'"
  }
}

extension CollectionRule.Field {
  fileprivate var isOfFile: Bool { self == .path || self == .root }

  /// Whether its column has what the library's folding makes of texts.
  fileprivate var isFolded: Bool { [.title, .artist, .album, .albumArtist].contains(self) }

  fileprivate var column: String {
    switch self {
    case .title: "track.titleKey"
    case .artist: "track.artistKey"
    case .album: "track.albumKey"
    case .albumArtist: "track.ownerKey"
    // Several genres stand between such characters.
    case .genre: "(char(31) || track.genres || char(31))"
    case .path: "CAST(file.path AS TEXT)"
    case .root: "(SELECT name FROM root WHERE root.id = file.root)"
    default: "track.\(rawValue)"
    }
  }

  fileprivate var sortColumn: String {
    switch self {
    case .path, .root:
      "(SELECT \(column) FROM file WHERE file.track = track.id ORDER BY file.id LIMIT 1)"
    default: kind == .text ? "\(column) COLLATE NOCASE" : column
    }
  }
}
