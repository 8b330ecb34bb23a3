import GRDB
import TestSupport
import Testing

@testable import Library

struct FoldingTests {
  @Test(arguments: [
    ("Sinnerman", "sinnerman"), ("SINNERMAN", "sinnerman"), ("Sigur Rós", "sigur ros"),
    ("Røyksopp", "royksopp"), ("Ænima", "aenima"), ("Œuvre", "oeuvre"), ("Straße", "strasse"),
    ("STRAẞE", "strasse"), ("Đorđe", "dorde"), ("Łódź", "lodz"),
    ("Ispanak ılık İz", "ispanak ilik iz"),
    ("Þórr", "thorr"), ("ﬁre", "fire"), ("Ｆｕｌｌ　Ｗｉｄｔｈ", "full width"), ("e\u{301}", "e"),
    ("Ёлка", "елка"), ("Σίσυφος", "σισυφοσ"), ("R.E.M.", "rem"), ("AC/DC", "acdc"),
    ("Mr. Mister", "mr mister"), ("don't", "dont"), ("!!!", "!!!"), ("  ", ""), ("½", "12"),
    ("한국", "한국"), ("ガガ", "ガガ"), ("मन", "मन"),
  ])
  func `texts that people take for the same have one key`(_ text: String, _ key: String) {
    #expect(Folding.key(text) == key)
  }

  @Test(arguments: [
    ("R.E.M. live", "r e m live rem"), ("邓丽君", "邓丽 丽君 君"), ("君", "君"),
    ("ABC邓丽DEF", "abc 邓丽 丽 def"), ("Jay-Z", "jay z jayz"), ("", ""), ("?!", ""),
    ("カラオケ", "カラ ラオ オケ ケ"), ("ｶﾞ", "ガ"), ("Сектор Газа", "сектор газа"),
  ])
  func `words of a text are written one by one`(_ text: String, _ words: String) {
    #expect(Folding.indexed(text) == words)
  }

  @Test func `a long word of parts is found by its parts alone`() {
    let path = Array(repeating: "abcd", count: 9).joined(separator: ".")
    #expect(Folding.indexed(path).split(separator: " ").count == 9)
  }
}

struct SearchQueryTests {
  /// Title, artist, album, path, genre and year of each track, by its number.
  private static let tracks: [(String, String, String, String, String, Int?)] = [
    ("Sinnerman", "Nina Simone", "Pastel Blues", "nina/03 Sinnerman.mp3", "Jazz", 1965),
    ("New Grass", "Talk Talk", "Laughing Stock", "talk/05 New Grass.mp3", "Post-Rock", 1991),
    ("Losing My Religion", "R.E.M.", "Out of Time", "rem/02.mp3", "Rock", 1991),
    ("Thunderstruck", "AC/DC", "The Razors Edge", "acdc/01.mp3", "Hard Rock", 1990),
    ("月亮代表我的心", "邓丽君", "岛国之情歌", "cn/moon.mp3", "Pop", 1977),
    ("Группа крови", "Кино", "Группа крови", "kino/01.mp3", "Рок", 1988),
    ("What Else Is There?", "Røyksopp", "The Understanding", "roy/01.mp3", "Electronic", 2005),
    ("Straße nach Süden", "Die Ärzte", "Geräusch", "de/strasse.mp3", "Punk", 2003),
    ("One", "U2", "Achtung Baby", "u2/one.mp3", "Rock", 1991),
    ("津軽海峡・冬景色", "石川さゆり", "365日恋もよう", "jp/tsugaru.mp3", "演歌", 1977),
    ("강남스타일", "싸이", "싸이6甲", "kr/gangnam.mp3", "K-Pop", 2012),
    ("Talk", "Coldplay", "X&Y", "coldplay/talk.mp3", "Rock", 2005),
    ("Don't Stop 'Til You Get Enough", "Michael Jackson", "Off the Wall", "mj/1.mp3", "Disco", nil),
    ("Must Be the Moon", "!!!", "Thr!!!er", "chk/moon.mp3", "Dance", 2013),
    ("NEAR the Sea", "Þeyr", "Mjötviður Mær", "is/AND OR NOT.mp3", "New Wave", 1981),
  ]

  /// 80 lines and the numbers of the tracks that are found; nil where all are.
  private static let table: [(String, [Int]?)] = [
    ("sinnerman", [1]), ("SINNER", [1]), ("nina sinner", [1]), ("sinner nina", [1]),
    ("simone pastel", [1]), ("sinnerman talk", []), ("nin", [1]), ("ni", [1]), ("inna", []),
    ("talk", [2, 12]), ("talk talk", [2, 12]), ("\"talk talk\"", [2]), ("artist:talk", [2]),
    ("title:talk", [12]), ("title: talk", [12]), ("album:\"laughing stock\"", [2]),
    ("album:\"stock laughing\"", []), ("album:stock artist:talk", [2]), ("ALBUM:Stock", [2]),
    ("R.E.M.", [3]), ("rem", [3]), ("r.e.m", [3]), ("REM religion", [3]), ("artist:r.e.m.", [3]),
    ("\"R.E.M.\"", [3]), ("AC/DC", [4]), ("acdc", [4]), ("ac dc", [4]), ("ac", [4, 9]),
    ("artist:ac/dc", [4]), ("ac-dc", [4]), ("邓丽君", [5]), ("丽君", [5]), ("丽", [5]), ("君", [5]),
    ("邓", [5]), ("君丽", []), ("月亮", [5]), ("代表我的心", [5]), ("亮我", []), ("artist:丽君", [5]),
    ("группа", [6]), ("ГРУППА", [6]), ("кино", [6]), ("ки", [6]), ("крови группа", [6]),
    ("royksopp", [7]), ("Røyksopp", [7]), ("RØYK", [7]), ("strasse", [8]), ("straße", [8]),
    ("STRASSE", [8]), ("suden", [8]), ("sued", []), ("arzte", [8]), ("Ärzte", [8]), ("u2", [9]),
    ("u2 one", [9]), ("冬景色", [10]), ("海峡", [10]), ("さゆり", [10]), ("강남", [11]), ("스타일", [11]),
    ("싸이", [11]), ("genre:rock", [2, 3, 4, 9, 12]), ("genre:\"hard rock\"", [4]),
    ("year:1991", [2, 3, 9]), ("year:1980-1989", [6, 15]), ("year:2005- rock", []),
    ("year:-1977", [1, 5, 10]), ("year:1991 genre:rock out", [3]), ("dont stop", [13]),
    ("don't stop", [13]), ("\"don’t stop\"", [13]), ("path:nina", [1]), ("path:\"is/and\"", [15]),
    ("", nil), ("   ", nil), ("!!!", [14]), ("theyr", [15]),
  ]

  /// What would mean something to FTS5 or to SQL.
  private static let hostile: [(String, [Int]?)] = [
    ("AND", [15]), ("OR NOT", [15]), ("NEAR(sea the)", []), ("NEAR( sea the)", [15]),
    ("near/2", []), ("sea*", [15]),
    ("^talk", [2, 12]), ("-talk", [2, 12]), ("(talk", [2, 12]), ("talk)", [2, 12]),
    ("{title}: talk", []), ("title : talk", []), ("talk\"", [2, 12]), ("\"talk", [2, 12]),
    ("'; DROP TABLE search; --", []), ("search MATCH 'x'", []), ("rank:1", []),
    ("\u{0}talk", [2, 12]),
    ("title:title:talk", []), ("+talk", [2, 12]), ("talk + new", [2]), ("\\\"talk", [2, 12]),
    ("artist:", nil), (":", []), ("\"\"", nil), ("a:b", []), ("*", []), ("\"*\"", []),
  ]

  @Test func `each of 80 lines finds what people mean`() throws {
    #expect(Self.table.count == 80)
    try check(Self.table)
  }

  @Test func `nothing of SQLite's own language gets through`() throws { try check(Self.hostile) }

  @Test func `random lines are never an error of SQLite`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed: seed)
    let pieces = [
      "\"", "*", "(", ")", ":", "^", "-", "+", "{", "}", ",", "AND", " OR ", " NOT ", "NEAR",
      "title:",
      "year:", "1", "丽", "君", "ß", "\u{301}", "\u{0}", " ", "'", "R.E.M.", "x", "\u{FFFD}", "\n",
    ]
    try table().read { db in
      for _ in 0..<2000 {
        let line = (0..<Int.random(in: 1...12, using: &random))
          .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        guard let query = try? SearchQuery(line), let match = query.match else { continue }
        #expect(throws: Never.self, "seed \(seed): \(line.debugDescription) became \(match)") {
          _ = try Int.fetchOne(
            db, sql: "SELECT count(*) FROM search WHERE search MATCH ?", arguments: [match])
        }
      }
    }
  }

  @Test(arguments: ["year:abc", "year:1990-1980", "year:0", "year:10000", "year:1-2-3", "year:-"])
  func `a year that is none is told`(_ line: String) {
    let text = String(line.dropFirst(5))
    #expect(throws: SearchQuery.Problem.badYear(text)) { try SearchQuery(line) }
  }

  @Test func `lines have a bound`() throws {
    #expect(throws: SearchQuery.Problem.tooLong) {
      try SearchQuery(String(repeating: "a", count: 1001))
    }
    #expect(throws: SearchQuery.Problem.tooManyWords) {
      try SearchQuery(Array(repeating: "ab", count: 33).joined(separator: " "))
    }
    _ = try SearchQuery(Array(repeating: "ab", count: 32).joined(separator: " "))
  }

  @Test func `three letters are enough to be ranked`() throws {
    #expect(try SearchQuery("ta").isRanked == false)
    #expect(try SearchQuery("ta lk").isRanked == false)
    #expect(try SearchQuery("tal").isRanked)
    #expect(try SearchQuery("ta grass").isRanked)
    #expect(try SearchQuery("君").isRanked == false)
    #expect(try SearchQuery("丽君").isRanked)
  }

  // MARK: A table of SQLite's own

  private func table() throws -> DatabaseQueue {
    let queue = try DatabaseQueue()
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE VIRTUAL TABLE search USING
            fts5(title, artist, album, path, genre, content='', tokenize='\(Folding.tokenizer)');
          CREATE TABLE track(id INTEGER PRIMARY KEY, year INTEGER, titleKey TEXT, artistKey TEXT);
          """)
      for (index, track) in Self.tracks.enumerated() {
        let words = [track.0, track.1, track.2, track.3, track.4].map(Folding.indexed)
        try db.execute(
          sql: "INSERT INTO search(rowid, title, artist, album, path, genre) VALUES(?,?,?,?,?,?)",
          arguments: [index + 1, words[0], words[1], words[2], words[3], words[4]])
        try db.execute(
          sql: "INSERT INTO track VALUES(?, ?, ?, ?)",
          arguments: [index + 1, track.5, Folding.key(track.0), Folding.key(track.1)])
      }
    }
    return queue
  }

  private func check(_ table: [(line: String, found: [Int]?)]) throws {
    try self.table().read { db in
      for (line, found) in table {
        let query = try SearchQuery(line)
        var conditions = ["1"]
        var arguments = StatementArguments()
        if let match = query.match {
          conditions.append("id IN (SELECT rowid FROM search WHERE search MATCH ?)")
          arguments += [match]
        }
        if let years = query.years {
          conditions.append("year BETWEEN ? AND ?")
          arguments += [years.lowerBound, years.upperBound]
        }
        if query.isExactOnly, let exact = query.exact {
          conditions.append("(titleKey = ? OR artistKey = ?)")
          arguments += [exact, exact]
        }
        let ids = try Int.fetchAll(
          db,
          sql: "SELECT id FROM track WHERE \(conditions.joined(separator: " AND ")) ORDER BY id",
          arguments: arguments)
        #expect(
          ids == found ?? Array(1...Self.tracks.count),
          "\(line.debugDescription) became \(query.match ?? "nothing")")
      }
    }
  }
}
