import GRDB

/// The database's tables, step by step. A released step is never changed; a new one is added.
enum StoreSchema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 stations") { db in
      try db.execute(
        sql: """
          CREATE TABLE station (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            definition TEXT NOT NULL,  -- JSON
            created INTEGER NOT NULL   -- ms since 1970
          );
          CREATE TABLE memory (
            sid INTEGER PRIMARY KEY AUTOINCREMENT,
            station TEXT NOT NULL UNIQUE,
            stopped INTEGER NOT NULL DEFAULT 0,
            listenersTotal INTEGER NOT NULL DEFAULT 0
          );
          """)
    }
    migrator.registerMigration("2 bans") { db in
      try db.execute(
        sql: """
          CREATE TABLE ban (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            range TEXT NOT NULL UNIQUE,
            created INTEGER NOT NULL,  -- ms since 1970
            until INTEGER,             -- the same; NULL: for good
            reason TEXT
          );
          """)
    }
    migrator.registerMigration("3 sessions") { db in
      try db.execute(
        sql: """
          CREATE TABLE session (
            token TEXT PRIMARY KEY,
            station TEXT NOT NULL,
            position INTEGER,          -- NULL: live
            air INTEGER,               -- ns since 1970, of that packet
            paused INTEGER NOT NULL,
            seen INTEGER NOT NULL      -- ns since 1970
          ) WITHOUT ROWID;
          """)
    }
    migrator.registerMigration("4 recordings") { db in
      try db.execute(
        sql: """
          CREATE TABLE recording (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            entry TEXT NOT NULL        -- JSON
          );
          """)
    }
    migrator.registerMigration("5 changes of stations") { db in
      // Milliseconds since 1970; NULL when the station has not changed since it was added.
      try db.execute(sql: "ALTER TABLE station ADD COLUMN changed INTEGER")
    }
    migrator.registerMigration("6 positions") { db in
      try db.execute(sql: "ALTER TABLE memory ADD COLUMN position INTEGER NOT NULL DEFAULT 0")
    }
    migrator.registerMigration("7 programmes") { db in
      try db.execute(
        sql: """
          CREATE TABLE programme (
            station TEXT PRIMARY KEY,
            state TEXT NOT NULL,       -- JSON: how far it has come
            changed INTEGER NOT NULL   -- ms since 1970
          ) WITHOUT ROWID;
          """)
    }
    migrator.registerMigration("8 collections") { db in
      try db.execute(
        sql: """
          CREATE TABLE collection (
            id TEXT PRIMARY KEY,
            name TEXT,                 -- NULL: the id
            kind TEXT NOT NULL,        -- list or rule
            rule TEXT,                 -- JSON; NULL of a list
            created INTEGER NOT NULL,  -- ms since 1970
            changed INTEGER NOT NULL   -- the same
          ) WITHOUT ROWID;
          CREATE TABLE member (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            collection TEXT NOT NULL,
            place REAL NOT NULL,       -- members are in its order
            track BLOB,                -- one of these three
            child TEXT,                -- another collection
            url TEXT,
            title TEXT,                -- what it was, for when it is gone
            artist TEXT,
            seconds REAL,
            path BLOB
          );
          CREATE INDEX memberPlace ON member(collection, place);
          CREATE INDEX memberChild ON member(child) WHERE child IS NOT NULL;
          CREATE TABLE trackNote (
            track BLOB PRIMARY KEY,
            excluded INTEGER,
            cueIn REAL,                -- s
            cueOut REAL,               -- s
            gain REAL                  -- dB
          ) WITHOUT ROWID;
          """)
    }
    migrator.registerMigration("9 numbers") { db in
      try db.execute(
        sql: """
          CREATE TABLE reached (
            station TEXT PRIMARY KEY,
            programme INTEGER NOT NULL,        -- flicks
            number INTEGER NOT NULL,           -- of the next piece
            discontinuities INTEGER NOT NULL,
            noted INTEGER NOT NULL,            -- ms since 1970
            boot TEXT,                         -- that start of the machine; NULL: unknown
            uptime INTEGER NOT NULL,           -- ns since then
            final INTEGER NOT NULL             -- 1: nothing came behind it
          ) WITHOUT ROWID;
          """)
    }
    migrator.registerMigration("10 secrets") { db in
      try db.execute(
        sql: """
          CREATE TABLE secret (
            name TEXT PRIMARY KEY,
            value BLOB NOT NULL        -- random bytes
          ) WITHOUT ROWID;
          """)
    }
    migrator.registerMigration("11 listed numbers") { db in
      try db.execute(sql: "ALTER TABLE memory ADD COLUMN listed INTEGER NOT NULL DEFAULT 0")
    }
    return migrator
  }
}
