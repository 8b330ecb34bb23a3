import Foundation
import GRDB
import Timeshift
import Wire

// Tracks that are looked for, by the page.
extension LibraryStore {
  /// The most tracks of a page.
  public static let pageMax = 1000

  /// Columns of a track in a list.
  private static let columns = """
    track.*,
    EXISTS (SELECT 1 FROM file WHERE file.track = track.id AND missingSince IS NULL AND failed IS NULL)
      AS isPlayable,
    EXISTS (SELECT 1 FROM file WHERE file.track = track.id AND pictureAt IS NOT NULL) AS hasPicture,
    (SELECT failed FROM file WHERE file.track = track.id AND failed IS NOT NULL LIMIT 1) AS failed
    """

  /// Returns a page of tracks; nil where there is no such track as the page begins behind.
  public func tracks(_ order: TrackOrder) throws(LibraryError) -> TrackPage? {
    try read { db in
      var search = Search(order, db)
      let limit = max(1, min(order.limit, Self.pageMax))
      guard try search.begin() else { return nil }
      var rows = try search.rows(limit + 1)
      let hasMore = rows.count > limit
      if hasMore { rows.removeLast() }
      let tracks = rows.compactMap(Self.track)
      let total = try search.total()
      return TrackPage(
        tracks: tracks, total: total > Self.totalMax ? nil : total,
        next: hasMore ? tracks.last?.key : nil)
    }
  }

  /// Returns a track with its files; nil where there is none.
  public func track(_ key: TrackKey) throws(LibraryError) -> LibraryTrack? {
    try read { db in
      let found = try Row.fetchOne(
        db, sql: "SELECT \(Self.columns) FROM track WHERE key = ?", arguments: [Data(key.bytes)])
      guard let row = found, let id = row.integer("id"), var track = Self.track(row) else {
        return nil
      }
      let files = try Row.fetchAll(
        db,
        sql: """
          SELECT file.*, root.name FROM file JOIN root ON root.id = file.root
          WHERE track = ? ORDER BY missingSince IS NOT NULL, failed IS NOT NULL, file.id LIMIT 100
          """, arguments: [id])
      track.files = files.map { row in
        LibraryFile(
          root: row.text("name") ?? "", path: row.bytes("path") ?? [],
          identity: Self.identity(row), picture: Self.picture(row),
          missingSince: row.integer("missingSince").map { .init(unixSeconds: $0) },
          problem: row.text("failed"))
      }
      return track
    }
  }

  /// One search: its conditions, and where its page begins.
  private struct Search {
    let order: TrackOrder
    let db: Database
    var conditions: [String] = []
    var arguments: StatementArguments = []
    /// The row that the page begins behind.
    var after: Row?

    init(_ order: TrackOrder, _ db: Database) {
      (self.order, self.db) = (order, db)
      let query = order.query
      if query.findsNothing { add("0", []) }
      if let match = query.match {
        add("track.id IN (SELECT rowid FROM search WHERE search MATCH ?)", [match])
      }
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

    func total() throws -> Int {
      let max = LibraryStore.totalMax + 1
      var sql = "SELECT 1 FROM track \(clause([])) LIMIT \(max)"
      // Words alone need no row of a track.
      if conditions.count == 1, order.query.match != nil {
        sql = "SELECT 1 FROM search WHERE search MATCH ? LIMIT \(max)"
      }
      return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM (\(sql))", arguments: arguments) ?? 0
    }

    private func clause(_ more: [String]) -> String {
      let all = conditions + more
      return all.isEmpty ? "" : "WHERE " + all.joined(separator: " AND ")
    }

    func rows(_ limit: Int) throws -> [Row] {
      switch order.sort {
      case .title: return try sorted("titleKey, track.id", limit)
      case .added: return try sorted("added, track.id", isDescending: true, limit)
      case .artist: return try sorted(Self.byArtist, limit)
      case .rank where order.query.match == nil && order.query.exact == nil:
        return try sorted(Self.byArtist, limit)
      case .rank: return try ranked(limit)
      }
    }

    /// No disc and no number come first, as SQLite sorts them.
    private static let byArtist =
      "artistKey, albumKey, COALESCE(disc, 0), COALESCE(number, 0), track.id"

    /// - Parameter keys: columns whose values tell any two tracks apart.
    private func sorted(
      _ keys: String, isDescending: Bool = false, _ limit: Int, where more: [String] = [],
      _ values: StatementArguments = [], isBehind: Bool = true
    ) throws -> [Row] {
      var (conditions, arguments) = (more, arguments + values)
      if isBehind, let id = after?.integer("id") {
        conditions.append(
          "(\(keys)) \(isDescending ? "<" : ">") (SELECT \(keys) FROM track WHERE id = ?)")
        arguments += [id]
      }
      let direction = isDescending ? " DESC" : ""
      let order = keys.split(separator: /, (?![^(]*\))/).map { $0 + direction }
        .joined(separator: ", ")
      return try Row.fetchAll(
        db,
        sql: """
          SELECT \(LibraryStore.columns) FROM track \(clause(conditions))
          ORDER BY \(order) LIMIT \(limit)
          """, arguments: arguments)
    }

    /// Tracks whose title or artist is just what was asked for come first.
    private func ranked(_ limit: Int) throws -> [Row] {
      guard let exact = order.query.exact else { return try others(limit, but: nil) }
      var rows: [Row] = []
      let isOther = after.map { !isExact($0, exact) } ?? false
      if !isOther {
        rows = try sorted(
          "titleKey <> \(Self.quoted(exact)), \(Self.byArtist)", limit,
          where: ["(titleKey = ? OR artistKey = ?)"], [exact, exact])
      }
      if rows.count < limit, order.query.match != nil {
        rows += try others(limit - rows.count, but: exact, isBehind: isOther)
      }
      return rows
    }

    private func isExact(_ row: Row, _ exact: String) -> Bool {
      [row.text("titleKey"), row.text("artistKey")].contains {
        $0?.utf8.elementsEqual(exact.utf8) ?? false
      }
    }

    /// Letters and digits alone get here, but for a line that has none.
    private static func quoted(_ text: String) -> String {
      "'\(text.replacing("\0", with: "").replacing("'", with: "''"))'"
    }

    private func others(_ limit: Int, but exact: String?, isBehind: Bool = true) throws -> [Row] {
      var (more, values) = ([String](), StatementArguments())
      if let exact {
        more.append("titleKey <> ? AND artistKey <> ?")
        values += [exact, exact]
      }
      guard order.query.isRanked, let match = order.query.match else {
        return try sorted("track.id", limit, where: more, values, isBehind: isBehind)
      }
      let weights = LibrarySchema.words.map { "\($0.weight)" }.joined(separator: ", ")
      let rank = "bm25(search, \(weights))"
      var arguments = StatementArguments([match]) + arguments + values
      if isBehind, let id = after?.integer("id") {
        let place = try Double.fetchOne(
          db, sql: "SELECT \(rank) FROM search WHERE search MATCH ? AND rowid = ?",
          arguments: [match, id])
        // A track that is not found any more stands in front of all.
        more.append("(found.place, track.id) > (?, ?)")
        arguments += [place ?? -.greatestFiniteMagnitude, id]
      }
      return try Row.fetchAll(
        db,
        sql: """
          SELECT \(LibraryStore.columns)
          FROM (SELECT rowid, \(rank) AS place FROM search WHERE search MATCH ?) AS found
          JOIN track ON track.id = found.rowid \(clause(more))
          ORDER BY found.place, track.id LIMIT \(limit)
          """, arguments: arguments)
    }
  }
}
