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
  /// What the page begins behind.
  private var after: TrackPlace?
  /// How many tracks have the words, whatever else they have to be; some thousands stand for all above them.
  private var matches: Int?

  /// A row of a page.
  struct Found {
    /// nil in place of a row that is no track.
    var track: LibraryTrack?
    var place: TrackPlace
  }

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

  /// Finds where the page begins; false where that is no place of this order.
  mutating func begin() throws -> Bool {
    guard var place = order.after else { return true }
    if let keys {
      guard place.values.count == keys.count else { return false }
    } else {
      guard place.isOther ? place.other != nil : place.values.count == Self.byExact.count else {
        return false
      }
    }
    if place.isCut {
      let row = try Row.fetchOne(
        db, sql: "SELECT * FROM track WHERE id = ?", arguments: [place.id])
      if let row { place.complete(with: row, keys ?? Self.byExact) }
    }
    after = place
    return true
  }

  // MARK: Rows

  /// Columns whose values tell any two tracks apart, by which tracks are sorted; nil: by their ranks.
  private var keys: [String]? {
    switch order.sort {
    case .title: ["titleKey", "track.id"]
    case .added: ["added", "track.id"]
    case .lastPlayed: ["lastPlayed(track.key)", "track.id"]
    case .artist: Self.byArtist
    case .rank: order.query.match == nil && order.query.exact == nil ? Self.byArtist : nil
    }
  }

  mutating func rows(_ limit: Int) throws -> [Found] {
    guard let keys else { return try ranked(limit) }
    let isDescending = [.added, .lastPlayed].contains(order.sort)
    return try rows(
      by: keys, isDescending: isDescending, [found] + conditions, words + arguments, limit)
  }

  /// - Parameter rows: how many tracks the page has if it is the last; nil: there are more.
  /// - Returns: how many tracks are found, or one more than `LibraryStore.totalMax`.
  func total(_ rows: Int?) throws -> Int {
    if after == nil, let rows { return rows }
    let max = LibraryStore.totalMax + 1
    guard conditions.isEmpty, order.query.match != nil else {
      return try count(
        "SELECT 1 FROM track \(Self.clause([found] + conditions))", words + arguments, upTo: max)
    }
    if let matches { return min(matches, max) }
    return try countMatches(upTo: max)
  }

  /// Counts tracks that have the words: they need no row of a track.
  private func countMatches(upTo max: Int) throws -> Int {
    try count("SELECT 1 FROM search WHERE search MATCH ?", words, upTo: max)
  }

  private func count(_ sql: String, _ arguments: StatementArguments, upTo max: Int) throws -> Int {
    let statement = try db.cachedStatement(sql: "SELECT COUNT(*) FROM (\(sql) LIMIT ?)")
    return try Int.fetchOne(statement, arguments: arguments + [max]) ?? 0
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

  /// - Parameter keys: how many columns say where a row stands: `place0` and so on.
  private func fetch(
    _ sql: String, _ arguments: StatementArguments, keys: Int
  ) throws -> [Found] {
    // A row of a statement finds its columns sooner than a copied one.
    let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
    let columns = (0..<keys).map { "place\($0)" }
    var found: [Found] = []
    while let row = try rows.next() {
      found.append(Found(track: LibraryStore.track(row), place: TrackPlace(row, columns)))
    }
    return found
  }

  /// No disc and no number come first, as SQLite sorts them.
  private static let byArtist = [
    "artistKey", "albumKey", "COALESCE(disc, 0)", "COALESCE(number, 0)", "track.id",
  ]

  /// What is just what was asked for: titles first.
  private static let byExact = ["titleKey <> ?"] + byArtist

  private func rows(
    by keys: [String], _ keyArguments: StatementArguments = [], isDescending: Bool = false,
    _ conditions: [String?], _ arguments: StatementArguments, _ limit: Int
  ) throws -> [Found] {
    var (conditions, arguments) = (conditions, arguments)
    if let after {
      let all = keys.joined(separator: ", ")
      let marks = keys.map { _ in "?" }.joined(separator: ", ")
      conditions.append("(\(all)) \(isDescending ? "<" : ">") (\(marks))")
      arguments += keyArguments + after.arguments
    }
    let order = keys.map { $0 + (isDescending ? " DESC" : "") }.joined(separator: ", ")
    let places = keys.enumerated().map { "\($1) AS place\($0)" }.joined(separator: ", ")
    // What is sorted is numbers: only the page's own rows are read as a whole.
    return try fetch(
      """
      SELECT \(LibraryStore.columns), \(places)
      FROM (
        SELECT track.id AS found FROM track \(Self.clause(conditions)) ORDER BY \(order) LIMIT ?
      ) JOIN track ON track.id = found
      ORDER BY \(order)
      """, keyArguments + arguments + keyArguments + [limit] + keyArguments, keys: keys.count)
  }

  // MARK: Ranks

  private static let isExact = "(titleKey = ? OR artistKey = ?)"

  /// Tracks whose title or artist is just what was asked for come first.
  private mutating func ranked(_ limit: Int) throws -> [Found] {
    let isBehindExact = after?.isOther ?? false
    guard let exact = order.query.exact, try hasExact(exact) else {
      return try others(limit, but: nil, fromStart: !isBehindExact)
    }
    if isBehindExact { return try others(limit, but: exact) }
    // What is the whole line has all of its words.
    var tracks = try rows(
      by: Self.byExact, [exact], conditions + [Self.isExact], arguments + [exact, exact], limit)
    if tracks.count < limit {
      tracks += try others(limit - tracks.count, but: exact, fromStart: true)
    }
    return tracks
  }

  private func hasExact(_ exact: String) throws -> Bool {
    let statement = try db.cachedStatement(sql: "SELECT 1 FROM track WHERE \(Self.isExact) LIMIT 1")
    return try Row.fetchOne(statement, arguments: [exact, exact]) != nil
  }

  private mutating func others(
    _ limit: Int, but exact: String?, fromStart: Bool = false
  ) throws -> [Found] {
    guard let match = order.query.match else { return [] }
    let behind = fromStart ? nil : after
    var conditions = conditions
    var values: StatementArguments = [match] + arguments
    if let exact {
      conditions.append("titleKey <> ? AND artistKey <> ?")
      values += [exact, exact]
    }
    let isRanked = try isRanked(behind?.other?.isRanked)
    let place = isRanked ? MatchRank.sql : "0"
    var skipped: Int64 = 0
    if let behind, let id = behind.id {
      if isRanked {
        if let (rank, id) = try known(behind, match) {
          conditions.append("(place, search.rowid) > (?, ?)")
          values += [rank, id]
        } else {
          skipped = max(0, behind.other?.shown.saturatingSubtract(1) ?? 0)
        }
      } else {
        conditions.append("search.rowid > ?")
        values += [id]
      }
    }
    // Only the page's own rows are read as a whole.
    let joined =
      conditions.isEmpty ? "" : "JOIN track ON track.id = search.rowid"
    let rows = try fetch(
      """
      SELECT \(LibraryStore.columns), found.place AS place0, found.id AS place1
      FROM (
        SELECT search.rowid AS id, \(place) AS place FROM search \(joined)
        \(Self.clause(["search MATCH ?"] + conditions))
        ORDER BY \(isRanked ? "place, " : "")search.rowid LIMIT ? OFFSET ?
      ) AS found JOIN track ON track.id = found.id
      ORDER BY found.place, found.id
      """, values + [limit, skipped], keys: 2)
    var end = TrackPlace(
      isRanked: isRanked, shown: behind?.other?.shown ?? 0, behind?.other?.rows ?? [])
    return rows.map { row in
      end.pass(.init(rank: row.place.rank, row: row.place.id ?? 0))
      return Found(track: row.track, place: end)
    }
  }

  /// Returns the last row before a page that stands where it stood, with its rank now.
  ///
  /// All ranks change by about the same share when tracks come and go; that of a track that was changed itself does not.
  private func known(_ behind: TrackPlace, _ match: String) throws -> (Double, Int64)? {
    var found: [(share: Double, rank: Double, row: Int64)] = []
    for row in behind.other?.rows ?? [] {
      guard let rank = try place(of: row.row, match) else { continue }
      found.append((row.rank == rank ? 1 : rank / row.rank, rank, row.row))
    }
    let shares = found.map(\.share).filter(\.isFinite).sorted()
    guard !shares.isEmpty else { return nil }
    let middle = shares[shares.count / 2]
    return found.last { abs($0.share - middle) <= 0.01 * abs(middle) }.map { ($0.rank, $0.row) }
  }

  /// - Parameter was: whether the page before was ranked: more may have come since.
  private mutating func isRanked(_ was: Bool?) throws -> Bool {
    guard order.query.isRanked, was != false else { return false }
    let most = (was == nil ? 1 : 2) * Self.rankedMax
    let matches = try countMatches(upTo: most + 1)
    self.matches = matches
    return matches <= most
  }

  private func place(of id: Int64, _ match: String) throws -> Double? {
    let statement = try db.cachedStatement(
      sql: "SELECT \(MatchRank.sql) FROM search WHERE search MATCH ? AND rowid = ?")
    return try Double.fetchOne(statement, arguments: [match, id])
  }
}
