import Foundation
import GRDB
import Timeshift
import Wire

// Tracks that are looked for, by the page.
extension LibraryStore {
  /// The most tracks of a page.
  public static let pageMax = 1000

  /// Columns of a track in a list.
  static let columns = """
    track.*,
    CASE WHEN EXISTS
      (SELECT 1 FROM file WHERE file.track = track.id AND missingSince IS NULL AND failed IS NULL)
      THEN NULL
      ELSE COALESCE(
        (SELECT failed FROM file WHERE file.track = track.id AND failed IS NOT NULL LIMIT 1),
        'its file is gone') END AS reason,
    EXISTS (SELECT 1 FROM file WHERE file.track = track.id AND missingSince IS NULL
      AND pictureAt IS NOT NULL) AS hasPicture
    """

  /// Returns a page of tracks; nil where what it begins behind is no place of this order.
  public func tracks(_ order: TrackOrder) throws(LibraryError) -> TrackPage? {
    try read { db in
      let limit = max(1, min(order.limit, Self.pageMax))
      var search = TrackSearch(order, db)
      guard try search.begin() else { return nil }
      var rows = try search.rows(limit + 1)
      let total = try search.total(rows.count <= limit ? rows.count : nil)
      let hasMore = rows.count > limit
      if hasMore { rows.removeLast() }
      return TrackPage(
        tracks: rows.compactMap(\.track), total: total > Self.totalMax ? nil : total,
        next: hasMore ? rows.last?.place : nil)
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
}
