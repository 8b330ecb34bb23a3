import Foundation
import GRDB
import TestSupport

/// A data folder as an earlier version of the relay wrote it, which was ended by SIGKILL.
///
/// The database had four migrations then, and a station's definition three keys for what is one source now. /jazz was being
/// pulled and recorded; /rock had been added by command and stopped. Indexes and rows are what that version wrote, but for
/// the folder's path and the session's times. The audio is made of `NumberedFrames`, so that it is not stored here.
struct EarlierFolder {
  static let jazzFrames: Range<UInt64> = 0..<248
  static let rockFrames: Range<UInt64> = 0..<153
  /// The frame that the paused session goes on with.
  static let sessionFrame: UInt64 = 152
  /// The frames of the recording that has ended.
  static let recordedFrames: Range<UInt64> = 153..<191
  /// The frames that the other recording had got to its file.
  static let unfinishedFrames: Range<UInt64> = 210..<248
  static let recorded = "jazz 2026-11-25 13-17-23.mp3"
  /// The file of the recording that was going on.
  static let unfinished = "jazz 2026-11-25 13-17-24.mp3"

  private static let segment = "00000000000000000000"

  let directory = TemporaryDirectory()
  var path: String { directory.path }

  /// - Parameter seen: when the session was last heard of, nanoseconds since 1970.
  init(seen: Int64) throws {
    for folder in ["stations/jazz", "stations/rock", "recordings"] {
      try FileManager.default.createDirectory(
        atPath: "\(path)/\(folder)", withIntermediateDirectories: true)
    }
    for (station, index, frames) in [
      ("jazz", Self.jazzIndex, Self.jazzFrames), ("rock", Self.rockIndex, Self.rockFrames),
    ] {
      let index = Self.bytes(index)
      directory.write("stations/\(station)/\(Self.segment).mp3", NumberedFrames.stream(frames))
      directory.write("stations/\(station)/\(Self.segment).idx", index)
      // The log's id also stands in the index's header.
      directory.write("stations/\(station)/log.id", Array(index[16..<32]))
    }
    directory.write("recordings/\(Self.recorded)", Self.recordedBytes)
    directory.write("recordings/\(Self.unfinished).part", Self.unfinishedBytes)
    let database = try DatabaseQueue(path: path + "/longwave.db")
    try database.write { db in try db.execute(sql: Self.sql(folder: path, seen: seen)) }
    try database.close()
  }

  /// The recordings' files by their names.
  var recordings: [String: [UInt8]] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path + "/recordings")) ?? []
    return Dictionary(
      uniqueKeysWithValues: names.map { ($0, directory.read("recordings/\($0)")) })
  }

  static var recordedBytes: [UInt8] {
    tag(begun: "2026-11-25T13:17:23") + NumberedFrames.stream(recordedFrames)
  }

  /// All that was written before the end, which is more than the database knows of.
  static var unfinishedBytes: [UInt8] {
    tag(begun: "2026-11-25T13:17:24") + NumberedFrames.stream(unfinishedFrames)
  }

  /// The ID3v2.4 tag in front of a recording: station twice, and the time of its beginning.
  private static func tag(begun: String) -> [UInt8] {
    func frame(_ id: String, _ text: String) -> [UInt8] {
      Array(id.utf8) + [0, 0, 0, UInt8(text.utf8.count + 1), 0, 0, 3] + Array(text.utf8)
    }
    let frames = frame("TIT2", "Numbers") + frame("TALB", "Numbers") + frame("TDRC", begun)
    return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frames.count)] + frames
  }

  private static func bytes(_ base64: String) -> [UInt8] {
    [UInt8](Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data())
  }

  private static let jazzIndex = """
    TFdJTkRFWAoBAAMCRKwAAO+ANfbfVdTNGBXVka/niAQAAAAAAAAAAAAAAAAAAAAAITmXmi5M6xgAAAAAfnSrlkEYAAAAAAAA
    AAAAAAAAAAAAAAAhOZeaLkzrGPfJ6AVTTAAAAAAAAAAAAAAAAAAAAAAAITmXmi5M6xi3Ws7JBR8AABOAgOUIoQOiA6IDogOi
    A6IDogOiA6IDogOiA6IDogOiA6IDogOiA6IDogMAGkTO+lQhAAUfAAAAAAAAAMDfFAAAAAANAEJhbmQgLSBTb25nIDAAAP1W
    DpJTTAAFHwAAAAAAAADA3xQAAAAAo5AsuC5M6xi/IlNzBR8AABOAgOUIogOiA6IDogOiA6EDogOiA6IDogOiA6IDogOiA6ID
    ogOiA6IDogMAEkfmK1NMAAo+AAAAAAAAAIC/KQAAAAAm6MHVLkzrGE9GyOkFHwAAE4CA5QiiA6IDogOiA6IDogOiA6IDogOi
    A6IDoQOiA6IDogOiA6IDogOiAwD1ZRF5U0wAD10AAAAAAAAAQJ8+AAAAAKg/V/MuTOsYcYBPFQUfAAATgIDlCKIDogOiA6ID
    ogOiA6IDogOiA6IDogOiA6IDogOiA6IDoQOiA6IDAISlqjpTTAAUfAAAAAAAAAAAf1MAAAAAK5fsEC9M6xhn+4/IBh8AABOA
    gOUIogOiA6IDogOiA6IDogOiA6IDogOiA6IDogOiA6IDogOiA6IDogMAJFZ9JFNMABqbAAAAAAAAAMBeaAAAAACu7oEuL0zr
    GNfJxDcFHwAAE4CA5QiiA6IDogOhA6IDogOiA6IDogOiA6IDogOiA6IDogOiA6IDogOiAwC73VpBQRgAAAAAAAAAAAAAAAAA
    AAAAAJ3JlpouTOsYha5QGlQhAB+6AAAAAAAAAIA+fQAAAAANAEJhbmQgLSBTb25nIDEAAKlwSb5TTAAfugAAAAAAAACAPn0A
    AAAArNYWTC9M6xiEUyHuBR8AABOAgOUIogOiA6IDogOiA6IDogOiA6EDogOiA6IDogOiA6IDogOiA6IDogMAqpIPqFNMACTZ
    AAAAAAAAAEAekgAAAAAvLqxpL0zrGIwFXUcFHwAAE4CA5QiiA6IDogOiA6IDogOiA6IDogOiA6IDogOiA6IDoQOiA6IDogOi
    AwCHyUKtUygAKfgAAAAAAAAAAP6mAAAAALGFQYcvTOsYYEkTMqIBAAABgIDlCKIDAEkSZMZBGAAAAAAAAAAAAAAAAAAAAAAA
    PPV/mi5M6xhw6G44UywAy/kAAAAAAAAAQBeoAAAAACFKuYgvTOsYyqWU8+YEAAADgIDlCKIDogOiAwCzAYK2U0YAsf4AAAAA
    AAAAAGOrAAAAAJQUZY0vTOsYeEdyqh8aAAAQgIDlCKIDogOiA6IDogOiA6IDogOiA6IDogOiA6IDogOiA6EDAMp5VI1TTADQ
    GAEAAAAAAAAA97wAAAAApKFOpi9M6xhAarTSBh8AABOAgOUIogOiA6IDogOiA6IDogOiA6IDogOiA6IDogOiA6IDogOiA6ID
    ogMAAk59V1NMANY3AQAAAAAAAMDW0QAAAAAn+ePDL0zrGIPEQ7IFHwAAE4CA5QiiA6IDogOiA6IDoQOiA6IDogOiA6IDogOi
    A6IDogOiA6IDogOiAwBloJvPVCEA21YBAAAAAAAAgLbmAAAAAA0AQmFuZCAtIFNvbmcgMgAAjmp4lVNMANtWAQAAAAAAAIC2
    5gAAAACpUHnhL0zrGEKyb7gFHwAAE4CA5QiiA6IDogOiA6IDogOiA6IDogOiA6EDogOiA6IDogOiA6IDogOiAwAzX+anU0wA
    4HUBAAAAAAAAQJb7AAAAACyoDv8vTOsYth3YLQUfAAATgIDlCKIDogOiA6IDogOiA6IDogOiA6IDogOiA6IDogOiA6IDoQOi
    A6IDAJhl9g4=
    """

  private static let rockIndex = """
    TFdJTkRFWAoBAAMCRKwAADKKYvZTi1EKVDtoe4K9lw8AAAAAAAAAAAAAAAAAAAAAuJe61C5M6xgAAAAA7QfMhkEYAAAAAAAA
    AAAAAAAAAAAAAAC4l7rULkzrGGuZ6m1TTAAAAAAAAAAAAAAAAAAAAAAAuJe61C5M6xi3Ws7JBR8AABOAgOUIoQOiA6IDogOi
    A6IDogOiA6IDogOiA6IDogOiA6IDogOiA6IDogMALW7EqlQhAAUfAAAAAAAAAMDfFAAAAAANAEJhbmQgLSBTb25nIDAAAKvk
    dpNTTAAFHwAAAAAAAADA3xQAAAAAOu9P8i5M6xi/IlNzBR8AABOAgOUIogOiA6IDogOiA6EDogOiA6IDogOiA6IDogOiA6ID
    ogOiA6IDogMAS8UTRlNMAAo+AAAAAAAAAIC/KQAAAAC9RuUPL0zrGE9GyOkFHwAAE4CA5QiiA6IDogOiA6IDogOiA6IDogOi
    A6IDoQOiA6IDogOiA6IDogOiAwDbJd51U0wAD10AAAAAAAAAQJ8+AAAAAD+eei0vTOsYcYBPFQUfAAATgIDlCKIDogOiA6ID
    ogOiA6IDogOiA6IDogOiA6IDogOiA6IDoQOiA6IDAK0HZYFTTAAUfAAAAAAAAAAAf1MAAAAAwvUPSy9M6xhn+4/IBh8AABOA
    gOUIogOiA6IDogOiA6IDogOiA6IDogOiA6IDogOiA6IDogOiA6IDogMA1DYLxlNMABqbAAAAAAAAAMBeaAAAAABFTaVoL0zr
    GNfJxDcFHwAAE4CA5QiiA6IDogOhA6IDogOiA6IDogOiA6IDogOiA6IDogOiA6IDogOiAwCBhyi4QRgAAAAAAAAAAAAAAAAA
    AAAAAK4od9QuTOsYhXqQclQhAB+6AAAAAAAAAIA+fQAAAAANAEJhbmQgLSBTb25nIDEAAP/CMb9TTAAfugAAAAAAAACAPn0A
    AAAAvTX3hS9M6xiEUyHuBR8AABOAgOUIogOiA6IDogOiA6IDogOiA6EDogOiA6IDogOiA6IDogOiA6IDogMAzUp4D1NMACTZ
    AAAAAAAAAEAekgAAAABAjYyjL0zrGIwFXUcFHwAAE4CA5QiiA6IDogOiA6IDogOiA6IDogOiA6IDogOiA6IDoQOiA6IDogOi
    AwByuQ4qUygAKfgAAAAAAAAAAP6mAAAAAMLkIcEvTOsYYEkTMqIBAAABgIDlCKIDALpzVVk=
    """

  private static func sql(folder: String, seen: Int64) -> String {
    #"""
    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
    INSERT INTO grdb_migrations VALUES('1 stations');
    INSERT INTO grdb_migrations VALUES('2 bans');
    INSERT INTO grdb_migrations VALUES('3 sessions');
    INSERT INTO grdb_migrations VALUES('4 recordings');
    CREATE TABLE station (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      definition TEXT NOT NULL,  -- JSON
      created INTEGER NOT NULL   -- ms since 1970
    );
    INSERT INTO station VALUES(1,'rock','
      {"id":"rock","name":null,"description":null,"genre":null,"homepage":null,"artwork":null,
      "upstream":["http://127.0.0.1:7911/rock"],"of":null,"delay":null,"files":null,
      "throttleBypass":null,"public":false,"mounts":[],"window":null,"burst":null,"behind":null,
      "maxLag":null,"pauseTimeout":null,"metaint":null,"userAgent":null,"type":null,
      "sourcePassword":null,"maxListeners":null,"maxListeningTime":null,"onDemand":false,
      "runOn":30,"fallback":null,"fallbackAfter":10,"metadataEncoding":null,
      "metadataCandidates":null,"titlePattern":null,"titleShift":0,"metadata":null,
      "record":null,"timeZone":null,"allow":null,"deny":null,"denyAgents":null,"auth":null,
      "connectTimeout":null,"dataTimeout":null,"requestHeaders":null,"proxy":null,
      "verifyTls":null,"caFile":null}
      ',1795612641442);
    CREATE TABLE memory (
      sid INTEGER PRIMARY KEY AUTOINCREMENT,
      station TEXT NOT NULL UNIQUE,
      stopped INTEGER NOT NULL DEFAULT 0,
      listenersTotal INTEGER NOT NULL DEFAULT 0
    );
    INSERT INTO memory VALUES(1,'jazz',0,7);
    INSERT INTO memory VALUES(2,'rock',1,0);
    CREATE TABLE ban (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      range TEXT NOT NULL UNIQUE,
      created INTEGER NOT NULL,  -- ms since 1970
      until INTEGER,             -- the same; NULL: for good
      reason TEXT
    );
    INSERT INTO ban VALUES(1,'10.9.9.9/32',1795612644824,NULL,'noise');
    CREATE TABLE session (
      token TEXT PRIMARY KEY,
      station TEXT NOT NULL,
      position INTEGER,          -- NULL: live
      air INTEGER,               -- ns since 1970, of that packet
      paused INTEGER NOT NULL,
      seen INTEGER NOT NULL      -- ns since 1970
    ) WITHOUT ROWID;
    INSERT INTO session VALUES('my-session_1','jazz',63529,1795612643453695285,1,\#(seen));
    CREATE TABLE recording (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      entry TEXT NOT NULL        -- JSON
    );
    INSERT INTO recording VALUES(1,'
      {"firstAir":1795612643478293025,"bytes":15959,"fileCount":1,
      "files":[{"seconds":0.9926530612244898,"modified":1795612644520886784,
      "name":"jazz 2026-11-25 13-17-23.mp3","bytes":15959}],"missedSeconds":0,
      "state":"finished","endedAt":1795612644778396104,"place":{"position":79830,
      "flicks":3520512000},"options":{"overlap":0,"station":"jazz","splits":false,
      "name":"{station} %Y-%m-%d %H-%M-%S","appends":false,"zone":"Etc\/UTC"},"id":1,
      "folder":"\#(folder)/recordings","seconds":0.9926530612244898,
      "startedAt":1795612643520408324}
      ');
    INSERT INTO recording VALUES(2,'
      {"options":{"appends":false,"zone":"Etc\/UTC","station":"jazz","splits":false,"overlap":0,
      "name":"{station} %Y-%m-%d %H-%M-%S"},"missedSeconds":0,"firstAir":1795612644967272617,
      "bytes":8017,"current":{"name":"jazz 2026-11-25 13-17-24.mp3",
      "seconds":0.4963265306122449,"title":"Band - Song 2","bytes":8017},
      "place":{"flicks":4220928000,"position":95712},"fileCount":0,
      "folder":"\#(folder)/recordings","files":[],"state":"recording",
      "startedAt":1795612645189830338,"seconds":0.4963265306122449,"id":2}
      ');
    """#
  }
}
