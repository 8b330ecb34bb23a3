import GRDB
import TestSupport
import Testing

@testable import Store

/// What SQLite's own files tell of how long they must be.
@Suite struct DatabaseShapeTests {
  private func header(
    page: [UInt8] = [16, 0], changes: UInt8 = 7, pages: UInt8 = 3, valid: UInt8 = 7
  ) -> [UInt8] {
    var bytes = Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 84)
    bytes.replaceSubrange(16..<18, with: page)
    (bytes[27], bytes[31], bytes[95]) = (changes, pages, valid)
    bytes.replaceSubrange(68..<72, with: [1, 2, 3, 4])
    return bytes
  }

  @Test func `a header tells the database's length and number`() {
    #expect(DatabaseShape.Header(header())?.bytes == 3 * 4096)
    #expect(DatabaseShape.Header(header())?.mark == 0x0102_0304)
    #expect(DatabaseShape.Header(header(page: [0, 1]))?.bytes == 3 * 65_536)
    #expect(DatabaseShape.Header(header(valid: 6))?.bytes == 100, "an old writer did not count")
    #expect(DatabaseShape.Header(header(pages: 0))?.bytes == 0)
    for count in 0..<100 { #expect(DatabaseShape.Header(Array(header().prefix(count))) == nil) }
    #expect(DatabaseShape.Header([UInt8](repeating: 0, count: 100)) == nil)
  }

  private func index(
    frames: UInt8 = 3, written: UInt8 = 1, page: [UInt8] = [0, 16], isBegun: UInt8 = 1
  ) -> [UInt8] {
    var copy = [UInt8](repeating: 0, count: 48)
    (copy[12], copy[16]) = (isBegun, frames)
    copy.replaceSubrange(14..<16, with: page)
    copy.replaceSubrange(32..<40, with: 1...8)
    return copy + copy + [written] + [UInt8](repeating: 0, count: 7)
  }

  @Test func `an index tells how much of the log is still needed`() {
    #expect(DatabaseShape.LogIndex(index())?.bytes == 32 + 3 * (24 + 4096))
    #expect(DatabaseShape.LogIndex(index())?.salt == Array(1...8))
    #expect(DatabaseShape.LogIndex(index(page: [1, 0]))?.bytes == 32 + 3 * (24 + 65_536))
    #expect(DatabaseShape.LogIndex(index(written: 3))?.bytes == 0, "the database has all")
    #expect(DatabaseShape.LogIndex(index(isBegun: 0)) == nil)
    for count in 0..<104 { #expect(DatabaseShape.LogIndex(Array(index().prefix(count))) == nil) }
    var torn = index()
    torn[16] = 4
    #expect(DatabaseShape.LogIndex(torn) == nil, "its copies differ")
  }

  @Test func `SQLite's own files are as long as they tell`() throws {
    let folder = TemporaryDirectory()
    let path = folder.path + "/a.db"
    let pool = try DatabasePool(path: path)
    let sight = DatabaseSight(path)
    try pool.write { try $0.execute(sql: "CREATE TABLE a (b)") }
    for round in 0..<40 {
      try pool.write { db in
        for _ in 0..<20 {
          try db.execute(sql: "INSERT INTO a VALUES (randomblob(2000))")
        }
        if round % 7 == 6 { try db.execute(sql: "DELETE FROM a") }
      }
      if round % 10 == 9 { try pool.vacuum() }
      if round % 5 == 4 { try pool.writeWithoutTransaction { _ = try $0.checkpoint(.full) } }
      #expect(sight.areWhole(mark: 0), "round \(round)")
      let index = try #require(DatabaseShape.LogIndex(Array(folder.read("a.db-shm").prefix(200))))
      #expect(index.bytes <= folder.read("a.db-wal").count)
    }
    try pool.close()
    withExtendedLifetime(sight) {}
  }
}
