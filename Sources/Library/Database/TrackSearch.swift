import Foundation
import GRDB
import Wire

/// One search for a page of tracks: its conditions, and where its page begins.
///
/// SQLite has prepared each shape of a search once a connection: what differs between searches is an argument.
struct TrackSearch {
  /// The most tracks that are ranked: what a rank costs grows with all that match. Of more, the oldest come first.
  static let rankedMax = 5000

  private let order: TrackOrder
  private let db: Database
  /// Conditions on a track besides the words.
  private var conditions: [String] = []
  private var arguments: StatementArguments = []
  /// The row that the page begins behind.
  private var after: Row?

  init(_ order: TrackOrder, _ db: Database) {
    (self.order, self.db) = (order, db)
    let query = order.query
    if query.findsNothing { add("0", []) }
    if let years = query.years {
      add("year BETWEEN ? AND ?", [years.lowerBound, years.upperBound])
    }
    if query.isExactOnly, let exact = query.exact {
      add("(titleKey = ? OR artistKey = ?)", [exact, exact])
    }
    if let root = order.root {
      add(
        """
        -- The plus keeps SQLite from looking at all files of the root for each track.
        EXISTS (SELECT 1 FROM file JOIN root ON root.id = +file.root
          WHERE file.track = track.id AND root.name = ?)
        """, [root])
    }
    if let isPlayable = order.isPlayable {
      add(
        """
        \(isPlayable ? "" : "NOT ")EXISTS (SELECT 1 FROM file
          WHERE file.track = track.id AND missingSince IS NULL AND failed IS NULL)
        """, [])
    }
  }

  private mutating func add(_ condition: String, _ values: [any DatabaseValueConvertible]) {
    conditions.append(condition)
    arguments += StatementArguments(values)
  }

  /// Finds where the page begins; false where that track is none.
  mutating func begin() throws -> Bool {
    guard let key = order.after else { return true }
    after = try Row.fetchOne(
      db, sql: "SELECT * FROM track WHERE key = ?", arguments: [Data(key.bytes)])
    return after != nil
  }

  // MARK: Rows

  /// Returns tracks; nil in place of a row that is none.
  func rows(_ limit: Int) throws -> [LibraryTrack?] {
    switch order.sort {
    case .title: return try sorted(["titleKey", "track.id"], limit)
    case .added: return try sorted(["added", "track.id"], isDescending: true, limit)
    case .lastPlayed:
      return try sorted(["lastPlayed(track.key)", "track.id"], isDescending: true, limit)
    case .artist: return try sorted(Self.byArtist, limit)
    case .rank where order.query.match == nil && order.query.exact == nil:
      return try sorted(Self.byArtist, limit)
    case .rank: return try ranked(limit)
    }
  }

  /// - Parameter rows: how many tracks the page has if it is the last; nil: there are more.
  /// - Returns: how many tracks are found, or one more than `LibraryStore.totalMax`.
  func total(_ rows: Int?) throws -> Int {
    if after == nil, let rows { return rows }
    return try count(upTo: LibraryStore.totalMax + 1)
  }

  private func count(upTo max: Int) throws -> Int {
    // Words alone need no row of a track.
    let sql =
      conditions.isEmpty && order.query.match != nil
      ? "SELECT 1 FROM search WHERE search MATCH ?"
      : "SELECT 1 FROM track \(Self.clause([found] + conditions))"
    let statement = try db.cachedStatement(sql: "SELECT COUNT(*) FROM (\(sql) LIMIT ?)")
    return try Int.fetchOne(statement, arguments: words + arguments + [max]) ?? 0
  }

  /// The words as a condition on a track.
  private var found: String? {
    order.query.match.map { _ in "track.id IN (SELECT rowid FROM search WHERE search MATCH ?)" }
  }

  private var words: StatementArguments { order.query.match.map { [$0] } ?? [] }

  private static func clause(_ conditions: [String?]) -> String {
    let all = conditions.compactMap(\.self)
    return all.isEmpty ? "" : "WHERE " + all.joined(separator: " AND ")
  }

  private func fetch(_ sql: String, _ arguments: StatementArguments) throws -> [LibraryTrack?] {
    // A row of a statement finds its columns sooner than a copied one.
    let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
    var tracks: [LibraryTrack?] = []
    while let row = try rows.next() { tracks.append(LibraryStore.track(row)) }
    return tracks
  }

  /// No disc and no number come first, as SQLite sorts them.
  private static let byArtist = [
    "artistKey", "albumKey", "COALESCE(disc, 0)", "COALESCE(number, 0)", "track.id",
  ]

  /// - Parameter keys: columns whose values tell any two tracks apart.
  private func sorted(
    _ keys: [String], isDescending: Bool = false, _ limit: Int
  ) throws -> [LibraryTrack?] {
    try rows(
      by: keys, isDescending: isDescending, [found] + conditions, words + arguments, limit)
  }

  private func rows(
    by keys: [String], _ keyArguments: StatementArguments = [], isDescending: Bool = false,
    _ conditions: [String?], _ arguments: StatementArguments, _ limit: Int
  ) throws -> [LibraryTrack?] {
    var (conditions, arguments) = (conditions, arguments)
    let all = keys.joined(separator: ", ")
    if let id = after?.integer("id") {
      conditions.append(
        "(\(all)) \(isDescending ? "<" : ">") (SELECT \(all) FROM track WHERE id = ?)")
      arguments += keyArguments + keyArguments + [id]
    }
    let order = keys.map { $0 + (isDescending ? " DESC" : "") }.joined(separator: ", ")
    return try fetch(
      """
      SELECT \(LibraryStore.columns) FROM track \(Self.clause(conditions))
      ORDER BY \(order) LIMIT ?
      """, arguments + keyArguments + [limit])
  }

  // MARK: Ranks

  private static let isExact = "(titleKey = ? OR artistKey = ?)"

  /// Tracks whose title or artist is just what was asked for come first.
  private func ranked(_ limit: Int) throws -> [LibraryTrack?] {
    guard let exact = order.query.exact, try hasExact(exact) else {
      return try others(limit, but: nil)
    }
    let isOther = after.map { !isExact($0, exact) } ?? false
    if isOther { return try others(limit, but: exact) }
    // What is the whole line has all of its words.
    var tracks = try rows(
      by: ["titleKey <> ?"] + Self.byArtist, [exact], conditions + [Self.isExact],
      arguments + [exact, exact], limit)
    if tracks.count < limit {
      tracks += try others(limit - tracks.count, but: exact, fromStart: true)
    }
    return tracks
  }

  private func hasExact(_ exact: String) throws -> Bool {
    let statement = try db.cachedStatement(sql: "SELECT 1 FROM track WHERE \(Self.isExact) LIMIT 1")
    return try Row.fetchOne(statement, arguments: [exact, exact]) != nil
  }

  private func isExact(_ row: Row, _ exact: String) -> Bool {
    [row.text("titleKey"), row.text("artistKey")].contains {
      $0?.utf8.elementsEqual(exact.utf8) ?? false
    }
  }

  private func others(
    _ limit: Int, but exact: String?, fromStart: Bool = false
  ) throws -> [LibraryTrack?] {
    guard let match = order.query.match else { return [] }
    let id = fromStart ? nil : after?.integer("id")
    var conditions = conditions
    var values: StatementArguments = [match] + arguments
    if let exact {
      conditions.append("titleKey <> ? AND artistKey <> ?")
      values += [exact, exact]
    }
    let isRanked = try order.query.isRanked && matches(match) <= Self.rankedMax
    let place = isRanked ? Self.rank : "0"
    if let id {
      if isRanked {
        // A track that is not found any more stands in front of all.
        conditions.append("(place, search.rowid) > (?, ?)")
        values += [try self.place(of: id, match) ?? -.greatestFiniteMagnitude, id]
      } else {
        conditions.append("search.rowid > ?")
        values += [id]
      }
    }
    // Only the page's own rows are read as a whole.
    let joined =
      conditions.isEmpty ? "" : "JOIN track ON track.id = search.rowid"
    return try fetch(
      """
      SELECT \(LibraryStore.columns)
      FROM (
        SELECT search.rowid AS id, \(place) AS place FROM search \(joined)
        \(Self.clause(["search MATCH ?"] + conditions))
        ORDER BY \(isRanked ? "place, " : "")search.rowid LIMIT ?
      ) AS found JOIN track ON track.id = found.id
      ORDER BY found.place, found.id
      """, values + [limit])
  }

  private func matches(_ match: String) throws -> Int {
    let statement = try db.cachedStatement(
      sql: "SELECT COUNT(*) FROM (SELECT 1 FROM search WHERE search MATCH ? LIMIT ?)")
    return try Int.fetchOne(statement, arguments: [match, Self.rankedMax + 1]) ?? 0
  }

  private static let rank =
    "bm25(search, \(LibrarySchema.words.map { "\($0.weight)" }.joined(separator: ", ")))"

  private func place(of id: Int64, _ match: String) throws -> Double? {
    let statement = try db.cachedStatement(
      sql: "SELECT \(Self.rank) FROM search WHERE search MATCH ? AND rowid = ?")
    return try Double.fetchOne(statement, arguments: [match, id])
  }
}
