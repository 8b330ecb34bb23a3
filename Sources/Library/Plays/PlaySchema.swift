import GRDB

/// The table of `plays.db`. A database of another version is begun anew, so there are no steps.
enum PlaySchema {
  static let version = 1
  /// Marks the file as one of plays ("LWpl").
  static let application = 0x4C57_706C

  static func make(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE play (
          id INTEGER PRIMARY KEY,
          station TEXT NOT NULL,
          item INTEGER NOT NULL,
          at INTEGER NOT NULL, ended INTEGER NOT NULL,  -- ms since 1970
          kind TEXT NOT NULL,
          track BLOB,
          title TEXT, artist TEXT, album TEXT,
          seconds REAL NOT NULL,
          whole INTEGER,               -- NULL while it plays
          why TEXT,
          heard INTEGER NOT NULL,      -- ms of all listeners
          isrc TEXT, label TEXT
        );
        CREATE INDEX playStation ON play(station, at);
        CREATE INDEX playAt ON play(at);
        CREATE INDEX playOpen ON play(whole) WHERE whole IS NULL;
        PRAGMA application_id = \(application);
        PRAGMA user_version = \(version);
        """)
  }
}
