import GRDB
import Library
import Testing
import Wire

/// What rules find, in SQLite.
@Suite struct RuleQueryTests {
  /// The columns that rules ask for, as the library's database has them.
  private func makeDatabase() throws -> DatabaseQueue {
    let database = try DatabaseQueue()
    try database.write { db in
      try db.execute(
        sql: """
          CREATE TABLE track (
            id INTEGER PRIMARY KEY, key BLOB, title TEXT, artist TEXT, album TEXT, albumArtist TEXT,
            isrc TEXT, label TEXT, genres TEXT, disc INTEGER, number INTEGER, year INTEGER,
            seconds REAL, sampleRate INTEGER, channels INTEGER, bitrate INTEGER, lyrics INTEGER,
            guessed INTEGER, added INTEGER, titleKey TEXT, artistKey TEXT, albumKey TEXT,
            ownerKey TEXT);
          CREATE TABLE root (id INTEGER PRIMARY KEY, name TEXT);
          CREATE TABLE file (
            id INTEGER PRIMARY KEY, track INTEGER, root INTEGER, path BLOB, missingSince INTEGER,
            failed TEXT);
          INSERT INTO root VALUES (1, 'main'), (2, 'nas');
          """)
      func add(
        _ id: Int, _ title: String, _ artist: String, _ genres: String, _ year: Int?,
        _ seconds: Double,
        added: Int, _ root: Int, _ path: String, missing: Int? = nil, failed: String? = nil,
        lyrics: Int? = nil
      ) throws {
        let key = Data(TrackKey(high: 0, low: UInt64(id)).bytes)
        try db.execute(
          sql: """
            INSERT INTO track VALUES
            (?, ?, ?, ?, '', '', '', '', ?, NULL, NULL, ?, ?, 44100, 2, 192, ?, 0, ?, ?, ?, '', ?)
            """,
          arguments: [
            id, key, title, artist, genres, year, seconds, lyrics, added, title.lowercased(),
            artist.lowercased(), artist.lowercased(),
          ])
        try db.execute(
          sql: "INSERT INTO file VALUES (?, ?, ?, ?, ?, ?)",
          arguments: [id, id, root, Data(path.utf8), missing, failed])
      }
      let both = "Jazz\u{1F}Soul"
      try add(1, "Sinnerman", "Nina Simone", both, 1965, 619, added: 1000, 1, "Jazz/a.mp3")
      try add(2, "New Grass", "Talk Talk", "Rock", 1991, 580, added: 2000, 1, "Rock/b_1.mp3")
      try add(3, "100% Pure", "Ärzte", "Jazzy", nil, 200.5, added: 900_000, 2, "c.mp3", lyrics: 1)
      try add(4, "Gone", "Nina Simone", "Jazz", 1970, 100, added: 5, 1, "d.mp3", missing: 7)
      try add(5, "Broken", "Nina Simone", "Jazz", 1970, 100, added: 5, 1, "e.mp3", failed: "x")
    }
    return database
  }

  private func find(_ rule: String, lists: [String: [UInt64]] = [:]) throws -> [UInt64] {
    let query = RuleQuery(try CollectionRule(rule), at: 1_000_000, fold: { $0.lowercased() }) {
      (lists[$0] ?? []).map { TrackKey(high: 0, low: $0) }
    }
    let values = query.arguments.map { argument -> any DatabaseValueConvertible in
      switch argument {
      case .text(let text): text
      case .integer(let number): number
      case .number(let number): number
      }
    }
    return try makeDatabase().read { db in
      try Data.fetchAll(db, sql: query.sql, arguments: StatementArguments(values)).compactMap {
        TrackKey(bytes: $0)?.low
      }
    }
  }

  @Test(
    arguments: [
      (#"{"all":[]}"#, [1, 2, 3]), (#"{"all":[{"is":{"artist":"NINA simone"}}]}"#, [1]),
      (#"{"all":[{"isNot":{"artist":"Nina Simone"}}]}"#, [2, 3]),
      (#"{"all":[{"is":{"genre":"jazz"}}]}"#, [1]), (#"{"all":[{"is":{"genre":"SOUL"}}]}"#, [1]),
      (#"{"all":[{"isNot":{"genre":"jazz"}}]}"#, [2, 3]),
      (#"{"all":[{"contains":{"genre":"jazz"}}]}"#, [1, 3]),
      (#"{"all":[{"contains":{"title":"%"}}]}"#, [3]),
      (#"{"all":[{"contains":{"path":"_"}}]}"#, [2]),
      (#"{"all":[{"startsWith":{"path":"Jazz/"}}]}"#, [1]),
      (#"{"all":[{"endsWith":{"path":".mp3"}}]}"#, [1, 2, 3]),
      (#"{"all":[{"notContains":{"title":"n"}}]}"#, [3]),
      (#"{"all":[{"is":{"root":"nas"}}]}"#, [3]), (#"{"all":[{"gt":{"year":1964}}]}"#, [1, 2]),
      (#"{"all":[{"isNot":{"year":1965}}]}"#, [2, 3]),
      (#"{"all":[{"inTheRange":{"seconds":[200.5,580]}}]}"#, [2, 3]),
      (#"{"all":[{"inTheLast":{"added":2}}]}"#, [3]),
      (#"{"all":[{"notInTheLast":{"added":2}}]}"#, [1, 2]),
      (#"{"all":[{"before":{"added":"1970-01-01T00:30:00Z"}}]}"#, [1]),
      (#"{"all":[{"is":{"lyrics":true}}]}"#, [3]),
      (#"{"all":[{"isNot":{"lyrics":true}}]}"#, [1, 2]),
      (
        #"{"any":[{"is":{"year":1965}},{"all":[{"lt":{"seconds":300}},{"gt":{"seconds":100}}]}]}"#,
        [1, 3]
      ),
      (#"{"all":[{"inCollection":"a"}]}"#, [2]), (#"{"all":[{"notInCollection":"a"}]}"#, [1, 3]),
      (#"{"all":[{"inCollection":"none"}]}"#, []),
      (#"{"all":[],"sort":"-year,title"}"#, [2, 1, 3]),
      (#"{"all":[],"sort":"path","limit":2}"#, [3, 1]),
      (#"{"all":[{"is":{"title":"' OR 1 --"}}]}"#, []),
    ] as [(String, [UInt64])])
  func `a rule finds what can be played, and no more`(rule: String, tracks: [UInt64]) throws {
    let found = try find(rule, lists: ["a": [2, 9]])
    #expect(
      rule.contains("path") && rule.contains("sort") ? Set(found) == Set(tracks) : found == tracks)
  }

  @Test func `the largest rule is understood by SQLite`() throws {
    var rule = #"{"is":{"year":1965}}"#
    for _ in 1..<CollectionRule.depthMax { rule = #"{"any":[\#(rule),{"is":{"genre":"x"}}]}"# }
    #expect(try find(#"{"all":[\#(rule)]}"#) == [1])
    let tests = [String](repeating: #"{"isNot":{"genre":"x"}}"#, count: CollectionRule.testsMax)
    #expect(try find(#"{"all":[\#(tests.joined(separator: ","))]}"#).count == 3)
  }
}
