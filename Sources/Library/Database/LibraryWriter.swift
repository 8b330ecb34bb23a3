import Foundation
import GRDB
import Media
import Timeshift
import Wire

/// Changes tracks and files in one transaction, and the table of words with them.
///
/// The table of words keeps no texts, so a word is taken out by telling SQLite the texts that it was put in with
/// (sqlite.org/fts5.html, 6.3). They are made of the rows before they change: each change goes through `note`, and
/// `finish` writes what has become of every track that was noted.
struct LibraryWriter {
  private let db: Database
  private let root: Int64
  private let now: WallTime
  /// Whether the root was never looked through: its music is as old as its files, and not new.
  private let isFirst: Bool
  /// The texts of tracks before this transaction; nil: there was no such track.
  private var before: [Int64: [String]?] = [:]

  init(_ db: Database, root: Int64, now: WallTime, isFirst: Bool = false) {
    (self.db, self.root, self.now, self.isFirst) = (db, root, now, isFirst)
  }

  // MARK: Files

  /// Writes a file that is there.
  ///
  /// - Parameter former: the file's row and track, where there was one at its path.
  mutating func put(_ file: MusicFile, former: (id: Int64, track: Int64)?) throws {
    let track = try putTrack(file)
    if let former, former.track != track { try lose(former.id, of: former.track) }
    let (picture, levels) = (file.details.picture, file.levels)
    try run(
      """
      INSERT INTO file(track, root, path, bytes, modified, inode, device, pictureAt, pictureBytes,
        trackGain, albumGain, trackPeak, albumPeak, isRead, mark)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT(root, path, track) DO UPDATE SET
        bytes = excluded.bytes, modified = excluded.modified, inode = excluded.inode,
        device = excluded.device, pictureAt = excluded.pictureAt,
        pictureBytes = excluded.pictureBytes, trackGain = excluded.trackGain,
        albumGain = excluded.albumGain, trackPeak = excluded.trackPeak,
        albumPeak = excluded.albumPeak, isRead = excluded.isRead, mark = excluded.mark,
        missingSince = NULL, failed = NULL
      """,
      [
        track, root, Data(file.path), Self.stored(file.identity.bytes), file.identity.modified,
        Self.stored(file.identity.inode), Self.stored(file.identity.device),
        picture.map { Self.stored($0.offset) } ?? (file.hasCover ? 0 : nil),
        picture.map { Self.stored($0.bytes) },
        levels.track, levels.album, levels.trackPeak, levels.albumPeak, file.isRead,
        FileMark.of(file),
      ])
  }

  /// Notes that a file is gone.
  mutating func lose(_ id: Int64, of track: Int64) throws {
    try note(track)
    try run("UPDATE file SET missingSince = ? WHERE id = ?", [now.unixSeconds, id])
  }

  /// Notes that a file that is there cannot be played.
  mutating func fail(_ id: Int64, _ reason: String) throws {
    try run("UPDATE file SET failed = ?, missingSince = NULL WHERE id = ?", [reason, id])
  }

  /// Deletes a file's row.
  mutating func drop(_ id: Int64, of track: Int64) throws {
    try note(track)
    try run("DELETE FROM file WHERE id = ?", [id])
  }

  /// Deletes a track that has no files.
  mutating func drop(track: Int64) throws {
    try note(track)
    try run("DELETE FROM track WHERE id = ?", [track])
  }

  // MARK: Tracks

  private mutating func putTrack(_ file: MusicFile) throws -> Int64 {
    let key = Data(file.key.bytes)
    let known = try row("SELECT id, guessed FROM track WHERE key = ?", [key])
    let (details, separator) = (file.details, String(LibrarySchema.separator))
    let owner = details.albumArtist.isEmpty ? file.artist : details.albumArtist
    // A tag ends no genre: control characters are taken out when it is read.
    let values: [(any DatabaseValueConvertible)?] = [
      file.title, file.artist, file.album, details.albumArtist, details.isrc, details.label,
      details.genres.joined(separator: separator), details.disc, details.number, file.year,
      file.seconds, file.isExact, Int(file.format.codec.rawValue), file.coding.rawValue,
      file.format.sampleRate, file.format.channels, details.bitrate,
      details.lyrics.map { Int($0.rawValue) },
      details.isGuessed, Folding.key(file.title), Folding.key(file.artist),
      Folding.key(file.album), Folding.key(owner),
    ]
    guard let known, let id = known.integer("id") else {
      let modified = WallTime(nanoseconds: file.identity.modified)
      try run(Self.insert, values + [key, (isFirst ? min(modified, now) : now).unixSeconds])
      let id = db.lastInsertedRowID
      before[id] = .some(nil)
      return id
    }
    try note(id)
    // A copy without tags does not take away what another one says.
    let isWorse = details.isGuessed && !known.flag("guessed")
    if try !isWorse || !hasOtherFile(id, than: file.path) { try run(Self.update, values + [id]) }
    return id
  }

  private static let columns = [
    "title", "artist", "album", "albumArtist", "isrc", "label", "genres", "disc", "number", "year",
    "seconds", "exact", "codec", "coding", "sampleRate", "channels", "bitrate", "lyrics", "guessed",
    "titleKey", "artistKey", "albumKey", "ownerKey",
  ]
  private static let insert =
    "INSERT INTO track(\(columns.joined(separator: ", ")), key, added) VALUES ("
    + Array(repeating: "?", count: columns.count + 2).joined(separator: ", ") + ")"
  private static let update =
    "UPDATE track SET \(columns.map { "\($0) = ?" }.joined(separator: ", ")) WHERE id = ?"

  private func hasOtherFile(_ track: Int64, than path: [UInt8]) throws -> Bool {
    try row(
      """
      SELECT 1 FROM file WHERE track = ? AND missingSince IS NULL AND NOT (root = ? AND path = ?)
      """, [track, root, Data(path)]) != nil
  }

  // MARK: Words

  private mutating func note(_ track: Int64) throws {
    if before[track] == nil { before[track] = .some(try Self.texts(of: track, in: db)) }
  }

  /// Writes the words of all tracks that have changed. Nothing may follow.
  mutating func finish() throws {
    for (track, before) in before {
      let after = try Self.texts(of: track, in: db)
      if before == after { continue }
      if let before { try run(Self.deleteWords, [track] + before) }
      if let after { try run(Self.insertWords, [track] + after) }
    }
    before = [:]
  }

  private static let wordColumns = LibrarySchema.words.map(\.column).joined(separator: ", ")
  private static let wordPlaces = LibrarySchema.words.map { _ in "?" }.joined(separator: ", ")
  private static let insertWords =
    "INSERT INTO search(rowid, \(wordColumns)) VALUES (?, \(wordPlaces))"
  private static let deleteWords =
    "INSERT INTO search(search, rowid, \(wordColumns)) VALUES ('delete', ?, \(wordPlaces))"

  /// The most files of a track whose paths it is found by.
  private static let pathsMax = 8

  /// Returns a track's texts as the table of words has them, in the order of its columns; nil of no track.
  static func texts(of track: Int64, in db: Database) throws -> [String]? {
    let statement = try db.cachedStatement(
      sql: "SELECT title, artist, album, albumArtist, genres FROM track WHERE id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [track]) else { return nil }
    let (artist, owner) = (row.text("artist") ?? "", row.text("albumArtist") ?? "")
    let artists = owner.isEmpty || owner == artist ? artist : "\(artist) \(owner)"
    let genres = (row.text("genres") ?? "").map { $0 == LibrarySchema.separator ? " " : $0 }
    let files = try db.cachedStatement(
      sql: "SELECT path FROM file WHERE track = ? ORDER BY id LIMIT \(pathsMax)")
    let paths = try Row.fetchAll(files, arguments: [track]).map { words($0.bytes("path") ?? []) }
    return [
      row.text("title") ?? "", artists, row.text("album") ?? "", paths.joined(separator: " "),
      String(genres),
    ].map(Folding.indexed)
  }

  /// Returns a path as it is found: by the names of folders and of the file, without its ending.
  private static func words(_ path: [UInt8]) -> String {
    let name = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    let end = path[name...].lastIndex(of: UInt8(ascii: ".")) ?? path.count
    return String(decoding: path[..<end].map { $0 == UInt8(ascii: "/") ? 0x20 : $0 }, as: UTF8.self)
  }

  // MARK: SQL

  private func run(_ sql: String, _ values: [(any DatabaseValueConvertible)?]) throws {
    try db.cachedStatement(sql: sql).execute(arguments: StatementArguments(values))
  }

  private func row(_ sql: String, _ values: [(any DatabaseValueConvertible)?]) throws -> Row? {
    try Row.fetchOne(try db.cachedStatement(sql: sql), arguments: StatementArguments(values))
  }

  /// SQLite's numbers have a sign; the bits are kept.
  static func stored(_ number: UInt64) -> Int64 { Int64(bitPattern: number) }
}
