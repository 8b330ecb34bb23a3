import Foundation
import GRDB
import Timeshift
import Wire

// Names, folders and counts.
extension LibraryStore {
  /// Returns artists by name, and the name that the next page begins behind; nil at the end.
  ///
  /// - Parameters:
  ///   - query: words that their names have; nil: all.
  ///   - after: the last name of the page before.
  public func artists(
    _ query: SearchQuery? = nil, after: String? = nil, limit: Int = 100
  ) throws(LibraryError) -> (names: [LibraryName], next: String?) {
    let limit = max(1, min(limit, Self.pageMax))
    return try read { db in
      let (condition, arguments) = Self.words(query)
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT MIN(artist) AS name, COUNT(*) AS tracks, SUM(seconds) AS seconds,
            COUNT(DISTINCT NULLIF(albumKey, '')) AS albums
          FROM track WHERE artistKey > ? \(condition)
          GROUP BY artistKey ORDER BY artistKey LIMIT \(limit + 1)
          """, arguments: [after.map(Folding.key) ?? ""] + arguments)
      let names = rows.prefix(limit).map { row in
        LibraryName(
          name: row.text("name") ?? "", tracks: Self.count(row, "tracks"),
          albums: Self.count(row, "albums"), seconds: row.real("seconds") ?? 0)
      }
      return (names, rows.count > limit ? names.last?.name : nil)
    }
  }

  /// The last album of a page.
  public struct AlbumPlace: Hashable, Sendable {
    public var album: String
    public var artist: String

    public init(album: String, artist: String) { (self.album, self.artist) = (album, artist) }
  }

  /// Returns albums by name, then by artist, and the one that the next page begins behind; nil at the end.
  ///
  /// - Parameter artist: whose albums, or albums with a track of whom; nil: all.
  public func albums(
    _ query: SearchQuery? = nil, artist: String? = nil, after: AlbumPlace? = nil, limit: Int = 100
  ) throws(LibraryError) -> (names: [LibraryName], next: AlbumPlace?) {
    let limit = max(1, min(limit, Self.pageMax))
    return try read { db in
      var (condition, arguments) = Self.words(query)
      if let artist {
        condition += " AND (ownerKey = ? OR artistKey = ?)"
        arguments += [Folding.key(artist), Folding.key(artist)]
      }
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT MIN(album) AS name, MIN(CASE WHEN albumArtist = '' THEN artist ELSE albumArtist END)
            AS artist, MIN(year) AS year, COUNT(*) AS tracks, SUM(seconds) AS seconds
          FROM track WHERE albumKey > '' AND (albumKey, ownerKey) > (?, ?) \(condition)
          GROUP BY albumKey, ownerKey ORDER BY albumKey, ownerKey LIMIT \(limit + 1)
          """,
        arguments: [
          after.map { Folding.key($0.album) } ?? "", after.map { Folding.key($0.artist) } ?? "",
        ] + arguments)
      let names = rows.prefix(limit).map { row in
        LibraryName(
          name: row.text("name") ?? "", artist: row.text("artist") ?? "",
          year: row.integer("year").map { Int(clamping: $0) }, tracks: Self.count(row, "tracks"),
          seconds: row.real("seconds") ?? 0)
      }
      let last = names.last.map { AlbumPlace(album: $0.name, artist: $0.artist ?? "") }
      return (names, rows.count > limit ? last : nil)
    }
  }

  private static func words(_ query: SearchQuery?) -> (String, StatementArguments) {
    if query?.findsNothing == true { return ("AND 0", []) }
    guard let match = query?.match else { return ("", []) }
    return ("AND id IN (SELECT rowid FROM search WHERE search MATCH ?)", [match])
  }

  private static func count(_ row: Row, _ column: String) -> Int {
    row.integer(column).map { Int(clamping: $0) } ?? 0
  }

  /// Returns the folders right below one, by the bytes of their names, and the path that the next page begins behind.
  ///
  /// - Parameters:
  ///   - path: below the root; empty for the root itself.
  ///   - after: the last path of the page before.
  public func folders(
    in name: String, below path: [UInt8] = [], after: [UInt8]? = nil, limit: Int = 100
  ) throws(LibraryError) -> (folders: [LibraryFolder], next: [UInt8]?) {
    let limit = max(1, min(limit, Self.pageMax))
    let slash = UInt8(ascii: "/")
    let prefix = path.isEmpty ? [] : path + [slash]
    return try read { db in
      guard
        let root = try Int64.fetchOne(
          db, sql: "SELECT id FROM root WHERE name = ?", arguments: [name])
      else { return ([], nil) }
      let first = try db.cachedStatement(
        sql: """
          SELECT path FROM file WHERE root = ? AND path >= ? AND path < ? AND missingSince IS NULL
          ORDER BY path LIMIT 1
          """)
      let count = try db.cachedStatement(
        sql: """
          SELECT COUNT(*) FROM file WHERE root = ? AND path >= ? AND path < ? AND missingSince IS NULL
          """)
      /// What is greater than all that begins with this.
      func end(_ prefix: [UInt8]) -> Data {
        var prefix = prefix
        while prefix.last == 0xFF { prefix.removeLast() }
        // No path is longer than 4,096 bytes.
        guard let last = prefix.last else { return Data(repeating: 0xFF, count: 4097) }
        prefix[prefix.count - 1] = last &+ 1
        return Data(prefix)
      }
      var folders: [LibraryFolder] = []
      let isBelow = after.map { $0.starts(with: prefix) && $0.count > prefix.count } ?? false
      var from = isBelow ? end((after ?? []) + [slash]) : Data(prefix)
      let last = end(prefix)
      while folders.count <= limit,
        let path = try Data.fetchOne(first, arguments: [root, from, last])
      {
        guard let border = path.dropFirst(prefix.count).firstIndex(of: slash) else {
          // A file of the folder itself: on with what comes behind it.
          from = path + [0]
          continue
        }
        let folder = Array(path[..<border])
        let next = end(folder + [slash])
        let files = try Int.fetchOne(
          count, arguments: [root, Data(folder + [slash]), next])
        folders.append(LibraryFolder(root: name, path: folder, files: files ?? 0))
        from = next
      }
      let hasMore = folders.count > limit
      if hasMore { folders.removeLast() }
      return (folders, hasMore ? folders.last?.path : nil)
    }
  }

  /// Returns files that cannot be played, by root and path.
  ///
  /// - Parameter after: the last of the page before.
  public func problems(
    in name: String? = nil, after: (root: String, path: [UInt8])? = nil, limit: Int = 100
  ) throws(LibraryError) -> (problems: [LibraryProblem], hasMore: Bool) {
    let limit = max(1, min(limit, Self.pageMax))
    return try read { db in
      var (conditions, arguments) = (["1"], StatementArguments())
      if let name {
        conditions.append("root.name = ?")
        arguments += [name]
      }
      if let after {
        conditions.append("(root.name, problem.path) > (?, ?)")
        arguments += [after.root, Data(after.path)]
      }
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT root.name, problem.path, reason FROM root JOIN problem ON problem.root = root.id
          WHERE \(conditions.joined(separator: " AND ")) ORDER BY root.name, problem.path LIMIT \(limit + 1)
          """, arguments: arguments)
      let problems = rows.prefix(limit).map { row in
        LibraryProblem(
          root: row.text("name") ?? "", path: row.bytes("path") ?? [],
          reason: row.text("reason") ?? "")
      }
      return (Array(problems), rows.count > limit)
    }
  }

  /// Returns what each root has, by its id: tracks that can be played, files that are gone.
  public func roots() throws(LibraryError) -> [String: RootCount] {
    try read { db in
      var roots: [String: RootCount] = [:]
      for row in try Row.fetchAll(
        db,
        sql: """
          SELECT name, COUNT(missingSince) AS missing,
            COUNT(DISTINCT CASE WHEN missingSince IS NULL AND failed IS NULL THEN track END) AS tracks
          FROM root LEFT JOIN file ON file.root = root.id GROUP BY root.id
          """)
      {
        var root = RootCount()
        (root.tracks, root.missing) = (Self.count(row, "tracks"), Self.count(row, "missing"))
        if let name = row.text("name") { roots[name] = root }
      }
      return roots
    }
  }

  public func count() throws(LibraryError) -> LibraryCount {
    try read { db in
      func number(_ sql: String) throws -> Int { try Int.fetchOne(db, sql: sql) ?? 0 }
      var count = LibraryCount()
      count.tracks = try number("SELECT COUNT(*) FROM track")
      count.artists = try number("SELECT COUNT(DISTINCT NULLIF(artistKey, '')) FROM track")
      count.albums = try number(
        "SELECT COUNT(*) FROM (SELECT DISTINCT albumKey, ownerKey FROM track WHERE albumKey > '')")
      return count
    }
  }
}
