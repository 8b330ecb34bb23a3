import Foundation
import GRDB
import Synchronization
import Timeshift
import Wire

/// `plays.db`: what programmes have played.
///
/// One thread at a time writes, any may read; all calls block. One that is damaged or of another version is set aside,
/// and a new one is begun.
public final class PlayStore: Sendable {
  /// The most plays that are kept.
  public static let rowsMax = 5_000_000
  /// Seconds for which a play is kept.
  public static let keptSeconds = 400.0 * 86_400
  /// Rows that are deleted in a transaction.
  private static let batch = 5000

  /// What the database has of each track, once `countTracks` was called.
  public let tracks: TrackPlays
  private let database: RemadeDatabase
  private let rowsMax: Int
  private let isBegun = Atomic(false)
  /// Number of the database (`RemadeDatabase.generation`) whose plays are in `tracks`; 0: of none so far.
  private let counted = Atomic(0)

  /// Nothing is opened yet.
  ///
  /// - Parameters:
  ///   - tracks: is told what is written.
  ///   - rowsMax: fewer rows in a test.
  public init(
    _ path: String, tracks: TrackPlays = TrackPlays(), rowsMax: Int = PlayStore.rowsMax
  ) {
    (self.tracks, self.rowsMax) = (tracks, rowsMax)
    database = RemadeDatabase(
      path,
      RemadeDatabase.Kind(
        name: "the database of plays", label: "longwave.plays", readers: 2,
        version: PlaySchema.version, application: PlaySchema.application,
        remaking: "a new one is begun", isChecked: false, make: PlaySchema.make))
  }

  public var path: String { database.path }

  /// What became of damaged databases, to be logged once.
  public func popRemarks() -> [String] { database.popRemarks() }

  public func close() { database.close() }

  // MARK: Writing

  /// Whether the database was opened, and is sound: then it can be read.
  public var hasBegun: Bool { isBegun.load(ordering: .acquiring) && database.isSound }

  /// Opens the database at the first call. What played when it was written last is over.
  public func begin() throws(LibraryError) {
    if hasBegun { return }
    try database.write { db in
      try db.execute(sql: "UPDATE play SET whole = 0 WHERE whole IS NULL")
    }
    isBegun.store(true, ordering: .releasing)
  }

  /// Counts the plays of each track; nothing may be written meanwhile. Takes seconds for millions of plays.
  ///
  /// - Parameter end: ends it before its end, with an error; nil: nothing does.
  public func countTracks(until end: ReadEnd? = nil) throws(LibraryError) {
    try begin()
    counted.store(database.generation, ordering: .relaxed)
    tracks.use(
      try database.read(until: end) { db in
        var counts: [TrackKey: TrackPlays.Count] = [:]
        let rows = try Row.fetchCursor(
          db,
          sql: """
            SELECT track, COUNT(*) AS plays, MAX(at) AS newest FROM play
            WHERE track IS NOT NULL GROUP BY track
            """)
        while let row = try rows.next() {
          guard let key = TrackKey(bytes: row.bytes("track") ?? []) else { continue }
          counts[key] = TrackPlays.Count(
            plays: Int(clamping: max(0, row.integer("plays") ?? 0)),
            newest: max(0, row.integer("newest") ?? 0))
        }
        return counts
      })
  }

  /// Writes what has changed, in one transaction.
  public func write(_ changes: PlayChanges) throws(LibraryError) {
    if changes.isEmpty { return }
    try begin()
    let new = try database.write { db in
      let new = try changes.plays.filter { try Self.put($0, db) }
      for (key, milliseconds) in changes.heard {
        try db.cachedStatement(
          sql: """
            UPDATE play SET heard = MIN(heard + ?, \(Self.heardMax))
            WHERE station = ? AND at = ? AND item = ?
            """
        ).execute(arguments: [min(milliseconds, Self.heardMax)] + Self.arguments(key))
      }
      return new
    }
    let generation = database.generation
    let before = counted.exchange(generation, ordering: .relaxed)
    // Plays of a database that is gone count no more.
    if before != 0, before != generation { return try countTracks() }
    for play in new { if let track = play.track { tracks.add(track, at: play.key.at) } }
  }

  /// More than all people of a town can hear of a day: no sum of it overflows.
  private static let heardMax: Int64 = 1 << 50

  private static func arguments(_ key: Play.Key) -> StatementArguments {
    [key.station, key.at, Int64(clamping: key.item)]
  }

  /// - Returns: whether there was no such play.
  private static func put(_ play: Play, _ db: Database) throws -> Bool {
    let key = arguments(play.key)
    let row = try Int64.fetchOne(
      db.cachedStatement(sql: "SELECT id FROM play WHERE station = ? AND at = ? AND item = ?"),
      arguments: key)
    let track = play.track.map { Data($0.bytes) }
    guard let row else {
      let values: StatementArguments = [
        play.ended, play.kind.rawValue, track, play.title, play.artist, play.album, play.seconds,
        play.isWhole, play.why, play.isrc, play.label,
      ]
      try db.cachedStatement(
        sql: """
          INSERT INTO play(station, at, item, ended, kind, track, title, artist, album, seconds,
            whole, why, isrc, label, heard) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
          """
      ).execute(arguments: key + values)
      return true
    }
    // Behind a restart less is known of its file.
    try db.cachedStatement(
      sql: """
        UPDATE play SET ended = ?, seconds = ?, whole = ?, title = COALESCE(?, title),
          artist = COALESCE(?, artist), album = COALESCE(?, album), track = COALESCE(?, track),
          isrc = COALESCE(isrc, ?), label = COALESCE(label, ?), why = COALESCE(why, ?)
        WHERE id = ?
        """
    ).execute(arguments: [
      play.ended, play.seconds, play.isWhole, play.title, play.artist, play.album, track,
      play.isrc, play.label, play.why, row,
    ])
    return false
  }

  /// Deletes some of the plays that began before a time, and of those that are too many the oldest.
  ///
  /// - Returns: whether none is left to be deleted.
  public func trim(before time: WallTime) throws(LibraryError) -> Bool {
    let deleted = try database.write { db in
      var deleted = try Row.fetchAll(
        db,
        sql: """
          DELETE FROM play WHERE id IN
            (SELECT id FROM play WHERE at < ? ORDER BY at LIMIT \(Self.batch)) RETURNING track
          """, arguments: [time.milliseconds])
      let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM play") ?? 0
      if count > rowsMax {
        deleted += try Row.fetchAll(
          db,
          sql: """
            DELETE FROM play WHERE id IN (SELECT id FROM play ORDER BY at, id LIMIT ?)
            RETURNING track
            """, arguments: [min(count - rowsMax, Self.batch)])
      }
      return deleted.map { row in row.bytes("track").flatMap { TrackKey(bytes: $0) } }
    }
    for track in deleted { if let track { tracks.remove(track) } }
    return deleted.isEmpty
  }

  // MARK: Reading

  /// Returns plays that are over, the newest first.
  ///
  /// - Parameter end: ends the read before its end; nil: nothing does.
  public func page(
    _ query: PlayQuery, until end: ReadEnd? = nil
  ) throws(LibraryError) -> PlayPage {
    let limit = max(1, min(query.limit, PlayQuery.limitMax))
    return try database.read(until: end) { db in
      var conditions = ["whole IS NOT NULL"]
      var arguments = StatementArguments()
      func add(_ condition: String, _ values: [any DatabaseValueConvertible]) {
        conditions.append(condition)
        arguments += StatementArguments(values)
      }
      if let station = query.station { add("station = ?", [station]) }
      if let from = query.from { add("at >= ?", [from.roundedUp]) }
      if let to = query.to { add("at < ?", [to.roundedUp]) }
      if let after = query.after { add("(at, id) < (?, ?)", [after.at, after.row]) }
      var rows = try Row.fetchAll(
        db,
        sql: """
          SELECT * FROM play WHERE \(conditions.joined(separator: " AND "))
          ORDER BY at DESC, id DESC LIMIT \(limit + 1)
          """, arguments: arguments)
      let hasMore = rows.count > limit
      if hasMore { rows.removeLast() }
      let last = rows.last.map {
        PlayQuery.Place(at: $0.integer("at") ?? 0, row: $0.integer("id") ?? 0)
      }
      return PlayPage(plays: rows.compactMap(Self.play), next: hasMore ? last : nil)
    }
  }

  /// Returns the newest plays of a station, the oldest first.
  public func newest(of station: String, count: Int) throws(LibraryError) -> [Play] {
    return try database.read { db in
      try Row.fetchAll(
        db, sql: "SELECT * FROM play WHERE station = ? ORDER BY at DESC, id DESC LIMIT ?",
        arguments: [station, count]
      ).compactMap(Self.play).reversed()
    }
  }

  /// Of a row that cannot be understood there is no play.
  private static func play(_ row: Row) -> Play? {
    guard let station = row.text("station"), let at = row.integer("at"),
      let item = row.integer("item").flatMap({ UInt64(exactly: $0) }),
      let kind = row.text("kind").flatMap(TitleItem.Kind.init)
    else { return nil }
    let seconds = row.real("seconds").flatMap { $0.isFinite ? max(0, $0) : nil } ?? 0
    var play = Play(
      Play.Key(station: station, item: item, at: max(0, at)), kind: kind,
      ended: max(0, row.integer("ended") ?? at), seconds: seconds,
      isWhole: row.integer("whole").map { $0 != 0 })
    play.track = row.bytes("track").flatMap { TrackKey(bytes: $0) }
    (play.title, play.artist, play.album) = (
      row.text("title"), row.text("artist"), row.text("album")
    )
    (play.why, play.isrc, play.label) = (row.text("why"), row.text("isrc"), row.text("label"))
    play.heard = max(0, min(row.integer("heard") ?? 0, heardMax))
    return play
  }
}

extension WallTime {
  /// Milliseconds since 1970, rounded up: nothing that is stored lies in between.
  fileprivate var roundedUp: Int64 { adding(nanoseconds: 999_999).milliseconds }
}
