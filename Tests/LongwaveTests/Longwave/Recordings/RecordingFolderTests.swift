import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave

// A recording that meets its station playing from memory, since the folder of that cannot be used yet.
extension RecordingTests {
  /// A station of which a relay that was killed has recorded 20 s, and whose folder lacks the last of it.
  private struct Killed {
    let clock = ManualClock()
    let folder = TemporaryDirectory()
    let storage = Storage()
    let kept = LogConfiguration(retention: MediaTime(seconds: 86_400))
    var next: UInt64 = 0

    func open() throws -> PacketLog {
      try PacketLog.open(
        directory: folder.path, configuration: kept, storage: storage, at: clock.now
      ) { _ in }
    }

    func play(_ station: NumberedLog, seconds: Int, each: () throws -> Void = {}) throws {
      for _ in 0..<seconds {
        clock.advance(seconds: 38.0 * 1152 / 44_100)
        station.append(38, at: clock.now)
        storage.runOnce(at: clock.now.monotonic)
        try each()
      }
    }

    /// The same station as a start without its folder has it.
    func inMemory(away: Int, burst: Int, above told: UInt64 = 0) -> NumberedLog {
      clock.advance(seconds: Double(away) * 38 * 1152 / 44_100)
      // A file is no folder.
      let none = TemporaryDirectory()
      none.write("file", [1])
      var failure: StorageError?
      do throws(StorageError) {
        _ = try PacketLog.open(
          directory: none.path + "/file", configuration: kept, storage: storage, at: clock.now
        ) { _ in }
      } catch {
        failure = error
      }
      let log = PacketLog(awaiting: storage, kept, above: told, at: clock.now, since: failure!)
      let first = next + UInt64(away * 38) - UInt64(burst * 38)
      let station = NumberedLog(log: log, seconds: 0, first: first)
      station.append(UInt64(burst * 38), at: clock.now)
      return station
    }

    func takeFolder(_ log: PacketLog) throws -> Bool {
      try log.adoptFolder(folder.path, configuration: kept, at: clock.now) { _ in }
    }
  }

  /// - Parameter lost: seconds that the folder lacks of what was recorded.
  private func killed(lost: Int) throws -> (Killed, RecordingEntry) {
    var killed = Killed()
    let station = NumberedLog(log: try killed.open(), seconds: 0)
    let work = work(entry(station.log, from: 0, to: nil), station.log)
    func record() throws {
      #expect(try !work.attempt(isEnding: false, at: killed.clock.now))
    }
    try killed.play(station, seconds: 20 - lost, each: record)
    killed.storage.runOnce(at: killed.clock.now.monotonic)
    for _ in 0..<lost {
      killed.clock.advance(seconds: 38.0 * 1152 / 44_100)
      station.append(38, at: killed.clock.now)
      #expect(try !work.attempt(isEnding: false, at: killed.clock.now))
    }
    try work.sync()
    killed.next = station.next
    killed.storage.abandon()
    return (killed, work.synced)
  }

  private func goOn(_ entry: RecordingEntry, _ log: PacketLog) -> RecordingWork {
    RecordingWork(
      entry, log: log, from: log.snapshot().edge, station: "All Jazz", space: space(folder.path))
  }

  private func numbers(_ entry: RecordingEntry) throws -> [UInt64] {
    try entry.files.flatMap { try NumberedFrames.numbers(in: audio(file($0.name))) }
  }

  @Test(arguments: [0, 1, 3])
  func `a recording goes on when its log's folder is used again, nothing twice or less`(
    lost: Int
  ) throws {
    let (killed, entry) = try killed(lost: lost)
    let station = killed.inMemory(away: 2, burst: 8)
    let work = goOn(entry, station.log)
    func record() throws {
      #expect(try !work.attempt(isEnding: false, at: killed.clock.now))
    }
    try killed.play(station, seconds: 5, each: record)
    #expect(try killed.takeFolder(station.log))
    try killed.play(station, seconds: 10, each: record)
    for _ in 0..<20 {
      try record()
      killed.storage.runOnce(at: killed.clock.now.monotonic)
    }
    #expect(try work.attempt(isEnding: true, at: killed.clock.now))
    #expect(try numbers(work.entry) == Array(0..<station.next))
    #expect(work.entry.missedSeconds == 0)
    station.log.close()
  }

  /// A log on disk that a restart reads again, piece by piece.
  private func opened(until end: Double) throws -> (Killed, NumberedLog, RecordingEntry) {
    let killed = Killed()
    let station = NumberedLog(log: try killed.open(), seconds: 0)
    var asked = entry(station.log, from: 0, to: nil)
    asked.options.until = killed.clock.now.wall.adding(seconds: end).stored
    let before = work(asked, station.log)
    func record() throws {
      #expect(try !before.attempt(isEnding: false, at: killed.clock.now))
    }
    try killed.play(station, seconds: 10, each: record)
    try before.sync()
    try killed.play(station, seconds: 10)
    killed.storage.abandon()
    return (killed, station, before.synced)
  }

  /// Works until the recording is over.
  private func end(_ work: RecordingWork, in killed: Killed) throws {
    var turns = 0
    while try turns < 200 && !work.attempt(isEnding: false, at: killed.clock.now) {
      killed.storage.runOnce(at: killed.clock.now.monotonic)
      killed.clock.advance(seconds: 0.2)
      turns += 1
    }
    #expect(turns < 200)
  }

  @Test func `an end that passed while the relay was away takes nothing of what the log has`()
    throws
  {
    let (killed, station, entry) = try opened(until: 25)
    killed.clock.advance(seconds: 60)
    let log = try killed.open()
    let work = goOn(entry, log)
    try end(work, in: killed)
    #expect(try numbers(work.entry) == Array(0..<station.next))
    log.close()
  }

  @Test func `a recording of the past that is stopped while being fetched has all of it`() throws {
    let (killed, station, _) = try opened(until: 1000)
    let log = try killed.open()
    let air = killed.clock.now.wall
    let work = goOn(entry(log, from: 0, to: nil), log)
    work.stop(RecordingEntry.Stop(air: air.stored), at: killed.clock.now)
    try end(work, in: killed)
    #expect(try numbers(work.entry) == Array(0..<station.next))
    log.close()
  }

  @Test func `audio missing behind the folder's end is told in the recording`() throws {
    let (killed, entry) = try killed(lost: 0)
    let station = killed.inMemory(away: 30, burst: 5)
    let work = goOn(entry, station.log)
    try killed.play(station, seconds: 5)
    #expect(try killed.takeFolder(station.log))
    for _ in 0..<20 {
      #expect(try !work.attempt(isEnding: false, at: killed.clock.now))
      killed.storage.runOnce(at: killed.clock.now.monotonic)
    }
    #expect(try work.attempt(isEnding: true, at: killed.clock.now))
    let first = killed.next + 25 * 38
    #expect(try numbers(work.entry) == Array(0..<killed.next) + Array(first..<station.next))
    #expect(abs(work.entry.missedSeconds - 25) < 1, "\(work.entry.missedSeconds)")
    station.log.close()
  }

  @Test func `a recording goes on from memory where the folder is not used in time`() throws {
    let (killed, entry) = try killed(lost: 0)
    let station = killed.inMemory(away: 2, burst: 8)
    var work = goOn(entry, station.log)
    func record() throws {
      #expect(try !work.attempt(isEnding: false, at: killed.clock.now))
    }
    try killed.play(station, seconds: 300, each: record)
    #expect(try work.attempt(isEnding: true, goesOn: true, at: killed.clock.now))
    let heard = try numbers(work.entry)
    let first = try #require(heard.first { $0 >= killed.next })
    #expect(heard == Array(0..<killed.next) + Array(first..<station.next))
    let missing = Double(first - killed.next) * 1152 / 44_100
    #expect(abs(work.entry.missedSeconds - missing) < 1, "\(work.entry.missedSeconds)")
    // What memory had was on no disk: the next start has other positions, and goes on by the clock.
    let again = NumberedLog(log: try killed.open(), seconds: 0, first: station.next)
    again.log.markGap(seconds: 30, cause: .restart)
    work = goOn(work.entry, again.log)
    try killed.play(again, seconds: 5, each: record)
    #expect(try work.attempt(isEnding: true, at: killed.clock.now))
    let all = try numbers(work.entry)
    #expect(zip(all, all.dropFirst()).allSatisfy { $0 < $1 } && all.last == again.next - 1)
    #expect((heard.count + 150...heard.count + 190).contains(all.count), "\(all.count)")
    again.log.close()
  }

  @Test(arguments: [3600.0, 3e8, 300, 30], [false, true])
  func `a clock that is set back between two lives in memory keeps no recording waiting`(
    back: Double, hasFolder: Bool
  ) throws {
    var killed = Killed()
    let before = killed.inMemory(away: 10, burst: 5)
    var work = work(entry(before.log, from: 0, to: nil), before.log)
    func record() throws {
      #expect(try !work.attempt(isEnding: false, at: killed.clock.now))
    }
    try killed.play(before, seconds: 20, each: record)
    try work.sync()
    let (entry, told) = (work.synced, before.log.edge.position)
    killed.next = before.next
    killed.clock.stepWall(seconds: -back)
    let station = killed.inMemory(away: 60, burst: 5, above: told)
    work = goOn(entry, station.log)
    try killed.play(station, seconds: 10, each: record)
    if hasFolder { #expect(try killed.takeFolder(station.log)) }
    // As long as the memory lasts, which has what may still come with the folder.
    try killed.play(station, seconds: hasFolder ? 10 : 300, each: record)
    for _ in 0..<20 {
      try record()
      killed.storage.runOnce(at: killed.clock.now.monotonic)
    }
    #expect(try work.attempt(isEnding: true, at: killed.clock.now))
    let heard = try numbers(work.entry)
    #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 < $1 })
    #expect(heard.last == station.next - 1 && heard.count { $0 >= killed.next } > 10 * 38)
    station.log.close()
  }

  /// A machine whose clock was behind while the station was in memory, and whose folder is of a later time.
  @Test(arguments: [3e8, 86_400])
  func `a recording that comes to another log goes on with what comes there`(
    back: Double
  ) throws {
    var killed = Killed()
    let before = killed.inMemory(away: 10, burst: 5)
    try killed.play(before, seconds: 20)
    #expect(try killed.takeFolder(before.log))
    try killed.play(before, seconds: 20)
    before.log.close()
    killed.next = before.next
    killed.clock.stepWall(seconds: -back)
    let station = killed.inMemory(away: 30, burst: 5)
    var work = work(entry(station.log, from: 0, to: nil), station.log)
    func record() throws {
      #expect(try !work.attempt(isEnding: false, at: killed.clock.now))
    }
    try killed.play(station, seconds: 20, each: record)
    #expect(try work.attempt(isEnding: true, goesOn: true, at: killed.clock.now))
    station.log.close()
    // What the upstream's burst brings once more.
    let folder = try killed.open()
    work = RecordingWork(
      work.entry, log: folder, from: folder.snapshot().edge, isBehindEdge: true,
      station: "All Jazz", space: space(self.folder.path))
    try record()
    let again = NumberedLog(log: folder, seconds: 0, first: station.next - 3 * 38)
    again.log.markGap(seconds: 50, cause: .restart)
    again.append(3 * 38, at: killed.clock.now)
    try killed.play(again, seconds: 10, each: record)
    #expect(try work.attempt(isEnding: true, at: killed.clock.now))
    let heard = try numbers(work.entry)
    let first = try #require(heard.first)
    #expect(heard.allSatisfy { $0 >= killed.next } && heard.last == again.next - 1)
    #expect(zip(heard, heard.dropFirst()).allSatisfy { $1 - $0 < 38 * 2 }, "from \(first)")
    #expect(zip(heard, heard.dropFirst()).count { $0 >= $1 } <= 1)
    folder.close()
  }
}
