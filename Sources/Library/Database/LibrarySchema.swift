import Foundation
import GRDB

/// The tables of `library.db`. A database of another version is made again by a scan, so there are no steps.
enum LibrarySchema {
  /// The version of the tables, and of what `Folding` makes of texts.
  static let version = 4
  /// Marks the file as a library's ("LWlb").
  static let application = 0x4C57_6C62

  /// Between the genres of a track.
  static let separator: Character = "\u{1F}"

  /// Columns of the table of words, and what a word in them weighs.
  static let words: [(column: String, weight: Double)] = [
    ("title", 4), ("artist", 3), ("album", 2), ("path", 1), ("genre", 1),
  ]

  /// Lengths in characters of the beginnings of words that SQLite keeps: of no other has it all tracks without looking at
  /// each word that begins so, which costs 2 ms where 100,000 tracks have one.
  private static let beginnings = "1 2 3 4 5 6"

  static func make(_ db: Database) throws {
    let columns = words.map(\.column).joined(separator: ", ")
    try db.execute(
      sql: """
        CREATE TABLE track (
          id INTEGER PRIMARY KEY,
          key BLOB NOT NULL UNIQUE,
          title TEXT NOT NULL, artist TEXT NOT NULL, album TEXT NOT NULL,
          albumArtist TEXT NOT NULL, isrc TEXT NOT NULL, label TEXT NOT NULL,
          genres TEXT NOT NULL,
          disc INTEGER, number INTEGER, year INTEGER,
          seconds REAL NOT NULL, exact INTEGER NOT NULL,
          codec INTEGER NOT NULL, coding TEXT NOT NULL,  -- MusicCoding
          sampleRate INTEGER NOT NULL, channels INTEGER NOT NULL,
          bitrate INTEGER NOT NULL,
          lyrics INTEGER, guessed INTEGER NOT NULL,
          added INTEGER NOT NULL,      -- s since 1970
          -- What is compared and sorted: Folding.key. The owner is the album's artist, else the track's.
          titleKey TEXT NOT NULL, artistKey TEXT NOT NULL, albumKey TEXT NOT NULL,
          ownerKey TEXT NOT NULL
        );
        CREATE INDEX trackArtist ON track(artistKey, albumKey, COALESCE(disc, 0), COALESCE(number, 0), id);
        CREATE INDEX trackAlbum ON track(albumKey, ownerKey);
        CREATE INDEX trackTitle ON track(titleKey, id);
        CREATE INDEX trackAdded ON track(added, id);
        CREATE TABLE file (
          id INTEGER PRIMARY KEY,
          track INTEGER NOT NULL,
          root INTEGER NOT NULL,
          path BLOB NOT NULL,
          bytes INTEGER NOT NULL, modified INTEGER NOT NULL,  -- ns since 1970
          inode INTEGER NOT NULL, device INTEGER NOT NULL,
          pictureAt INTEGER, pictureBytes INTEGER,  -- the second NULL alone: one lies beside it
          trackGain REAL, albumGain REAL, trackPeak REAL, albumPeak REAL,  -- TrackGain
          isRead INTEGER NOT NULL,
          mark INTEGER NOT NULL,       -- FileMark
          missingSince INTEGER,        -- s since 1970; NULL: it is there
          failed TEXT,                 -- why it cannot be played
          UNIQUE (root, path, track)
        );
        CREATE INDEX fileTrack ON file(track);
        CREATE INDEX fileMissing ON file(missingSince) WHERE missingSince IS NOT NULL;
        CREATE TABLE problem (
          root INTEGER NOT NULL,
          path BLOB NOT NULL,
          bytes INTEGER NOT NULL, modified INTEGER NOT NULL,
          inode INTEGER NOT NULL, device INTEGER NOT NULL,
          mark INTEGER NOT NULL,
          reason TEXT NOT NULL,
          isTriedAgain INTEGER NOT NULL,
          PRIMARY KEY (root, path)
        ) WITHOUT ROWID;
        CREATE TABLE measure (
          track BLOB PRIMARY KEY,      -- its key
          loudness REAL, truePeak REAL, cueIn REAL, cueOut REAL  -- TrackMeasure
        ) WITHOUT ROWID;
        CREATE TABLE root (
          id INTEGER PRIMARY KEY,
          name TEXT NOT NULL UNIQUE,
          path TEXT,                   -- where it was when it was written or kept last
          scanned INTEGER,             -- s since 1970; NULL: never as a whole
          -- RootMemory; NULL: no look was believed.
          device INTEGER, files INTEGER, believed INTEGER, state TEXT
        );
        CREATE VIRTUAL TABLE search USING
          fts5(\(columns), content='', tokenize='\(Folding.tokenizer)', prefix='\(beginnings)');
        PRAGMA application_id = \(application);
        PRAGMA user_version = \(version);
        """)
  }
}

/// Reads columns without trusting their types: GRDB ends the process for a wrong one.
extension Row {
  func integer(_ column: String) -> Int64? { Int64.fromDatabaseValue(value(column)) }

  func real(_ column: String) -> Double? { Double.fromDatabaseValue(value(column)) }

  /// Nil of a number that is not within bounds.
  func real(_ column: String, in bounds: ClosedRange<Double>) -> Double? {
    real(column).flatMap { bounds.contains($0) ? $0 : nil }
  }

  func text(_ column: String) -> String? { String.fromDatabaseValue(value(column)) }

  func bytes(_ column: String) -> [UInt8]? {
    Data.fromDatabaseValue(value(column)).map { Array($0) }
  }

  func flag(_ column: String) -> Bool { integer(column) ?? 0 != 0 }

  /// The one way of GRDB that trusts no type and looks for the name once.
  private func value(_ column: String) -> DatabaseValue {
    let found: (any DatabaseValueConvertible)? = self[column]
    return found?.databaseValue ?? .null
  }
}
