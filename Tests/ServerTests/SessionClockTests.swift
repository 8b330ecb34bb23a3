import TestSupport
import Testing
import Timeshift
import Wire

@testable import Server

/// Sessions over a wall clock that is set.
@Suite struct SessionClockTests {
  private static let token = SessionToken("clock-session-1")!
  private static let day = 86_400.0

  /// A session that was used for a while and left an hour ago, by a clock that was wrong by `wrong` seconds and has been
  /// set right since.
  private func leave(
    _ clock: ManualClock, wrong: Double, _ body: (SessionTable) throws -> Void
  ) async throws {
    try await withServer { server in
      let table = SessionTable()
      // When the relay last ran, the clock was right.
      table.expire(by: ExpiryClock(BelievedTime(seen: clock.now.wall)))
      clock.stepWall(seconds: wrong)
      let owner = SessionTable.Owner(loop: server.server.loops[0], listener: 7)
      let record = SessionRecord(
        station: "jazz", place: .live, isPaused: false, lastSeen: clock.now.wall)
      _ = table.claim(Self.token, record, by: owner, at: nil, now: clock.now)
      clock.advance(seconds: 100)
      let left = clock.now
      table.update(Self.token, of: 7, goneAfter: 100, now: left) { $0.lastSeen = left.wall }
      for _ in 0..<60 {
        clock.advance(seconds: 60)
        table.forgetExpired(at: clock.now)
      }
      clock.stepWall(seconds: -wrong)
      try body(table)
    }
  }

  @Test(arguments: [-5 * day, -400 * day, -7200, 0, 7200])
  func `a session used while the clock was wrong is there when it is set right`(
    wrong: Double
  ) async throws {
    let clock = ManualClock()
    try await leave(clock, wrong: wrong) { table in
      #expect(table.entry(Self.token, at: clock.now) != nil)
      table.forgetExpired(at: clock.now)
      let record = try #require(table.records[Self.token])
      #expect(abs(clock.now.wall.seconds(since: record.lastSeen) - 3600) < 61)
      // The next process has the wall clock alone.
      let next = SessionTable()
      next.expire(by: ExpiryClock(BelievedTime(seen: clock.now.wall)))
      next.restore(table.records)
      clock.advance(seconds: 60)
      next.forgetExpired(at: clock.now)
      #expect(next.records[Self.token] != nil)
    }
  }

  @Test func `a session that a listener took lately is known as such`() async throws {
    try await withServer { server in
      let (clock, table) = (ManualClock(), SessionTable())
      let record = SessionRecord(
        station: "jazz", place: .live, isPaused: false, lastSeen: clock.now.wall)
      let other = SessionToken("clock-session-2")!
      table.begin(other, record, at: nil, now: clock.now)
      let owner = SessionTable.Owner(loop: server.server.loops[0], listener: 7)
      _ = table.claim(Self.token, record, by: owner, at: nil, now: clock.now)
      clock.advance(seconds: 10)
      #expect(table.records(takenWithin: 11, at: clock.now) == [Self.token: record])
      clock.advance(seconds: 2)
      #expect(table.records(takenWithin: 11, at: clock.now).isEmpty)
      // A listener that comes again is a new one.
      _ = table.claim(Self.token, record, by: owner, at: nil, now: clock.now)
      #expect(table.records(takenWithin: 11, at: clock.now).count == 1)
    }
  }

  @Test func `a session used while the clock was wrong ends when its time is over`() async throws {
    let clock = ManualClock()
    try await leave(clock, wrong: -5 * Self.day) { table in
      for _ in 0..<(25 * 60) {
        clock.advance(seconds: 60)
        table.forgetExpired(at: clock.now)
      }
      #expect(table.records.isEmpty && table.entry(Self.token, at: clock.now) == nil)
    }
  }
}
