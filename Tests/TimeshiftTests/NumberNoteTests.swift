import Synchronization
import TestSupport
import Testing
import Wire

@testable import Timeshift

/// Where a log goes on in numbers that does not have what another one gave out.
@Suite struct NumberNoteTests {
  private static let reached = NumberStart(
    programme: MediaTime(seconds: 1000), number: 500, discontinuities: 3)
  private let boot = BootID(text: "0123456789abcdef0123456789abcdef")
  private let clock = ManualClock()

  private func note(isFinal: Bool = false) -> NumberNote {
    NumberNote(Self.reached, at: clock.now, isFinal: isFinal, on: boot)
  }

  @Test func `behind an orderly end it goes on exactly there, whatever the clocks say`() {
    let note = note(isFinal: true)
    clock.stepWall(seconds: -100_000)
    clock.reboot(seconds: 5)
    #expect(note.start(at: clock.now, on: boot) == Self.reached)
  }

  private typealias Row = (away: Double, step: Double, isOtherBoot: Bool, seconds: Double)

  @Test func `behind a crash time and numbers are put forward by the time since`() {
    let rows: [Row] = [
      (0, 0, false, 0), (30, 0, false, 30), (7200, 0, false, 7200),
      // The machine's own clock runs on, however the wall clock is set.
      (30, -5000, false, 30), (30, 5000, false, 30),
      (300, 0, true, 300),
      // Behind a note may come as much as up to the next one.
      (30, 0, true, 60), (300, -400, true, 60), (300, -250, true, 60),
      // Such a clock is wrong.
      (300, 400 * 86_400, true, 60),
    ]
    for row in rows {
      let clock = ManualClock()
      let note = NumberNote(Self.reached, at: clock.now, isFinal: false, on: boot)
      clock.advance(seconds: row.away)
      clock.stepWall(seconds: row.step)
      let other = BootID(text: "fedcba9876543210fedcba9876543210")
      let start = note.start(at: clock.now, on: row.isOtherBoot ? other : boot)
      #expect(start.programme == MediaTime(seconds: 1000 + row.seconds), "\(row)")
      #expect(start.number == 500 + Int64(row.seconds) + 1, "\(row)")
      #expect(start.discontinuities == 3)
    }
  }

  @Test func `where no start of the machine is known, only the wall clock counts`() {
    let note = NumberNote(Self.reached, at: clock.now, isFinal: false, on: nil)
    clock.advance(seconds: 600)
    #expect(note.start(at: clock.now, on: nil).number == 1101)
  }

  @Test(arguments: [Int64.min, -1, 1 << 60, .max])
  func `a programme time that cannot be is not believed`(programme: Int64) {
    #expect(NumberStart(programme: programme, number: 1, discontinuities: 0) == nil)
  }

  @Test(arguments: [Int64.min, -1, 1 << 31, (1 << 31) - (1 << 26), .max])
  func `a number that cannot be is not believed`(number: Int64) {
    #expect(NumberStart(programme: 0, number: number, discontinuities: 0) == nil)
    #expect(NumberStart(programme: 0, number: 0, discontinuities: number) == nil)
    let least = (Int64(1) << 31) - (1 << 26) - 1
    #expect(NumberStart(programme: 0, number: least, discontinuities: least) != nil)
  }

  @Test
  func `the last numbers that there are may be put forward, by as long as a clock is believed`()
    throws
  {
    let least = (Int64(1) << 31) - (1 << 26) - 1
    let last = try #require(
      NumberStart(programme: (1 << 60) - 1, number: least, discontinuities: least))
    let note = NumberNote(last, at: clock.now, isFinal: false, on: boot)
    clock.advance(seconds: 365 * 86_400)
    let start = note.start(at: clock.now, on: boot)
    #expect(start.number > least && start.number < Int64(PieceName.numbersEnd))
    #expect(start.programme > last.programme)
    clock.advance(seconds: 1e9)
    #expect(note.start(at: clock.now, on: boot).number < 1 << 31)
  }

  @Test func `an id of a start of the machine comes back from its text`() {
    #expect(boot?.text == "0123456789abcdef0123456789abcdef")
    #expect(boot.flatMap { BootID(text: $0.text) } == boot)
  }

  // MARK: The logs

  private func numbers(_ log: PacketLog) -> [NumberMark] { log.lists.withLock(\.numbers) }

  @Test func `a log without a past begins where another one had come`() throws {
    var configuration = LogConfiguration()
    configuration.numberStart = Self.reached
    let log = PacketLog(memoryOnly: configuration, at: clock.now)
    #expect(log.numberReached == nil)
    log.feed(seconds: 20, by: clock)
    let first = try #require(numbers(log).first)
    #expect(first.programme == MediaTime(seconds: 1000) && first.number == 500)
    #expect(first.discontinuities == 3 && first.isJump)
    let reached = try #require(log.numberReached)
    #expect((503...504).contains(reached.number))
    #expect(reached.programme >= MediaTime(seconds: 1020))
  }

  @Test func `a folder that is older than what was given out goes on above that`() throws {
    var configuration = LogConfiguration(retention: MediaTime(seconds: 900))
    let directory = TemporaryDirectory()
    let old = try LogOnDisk(configuration, in: directory, clock: clock)
    old.feed(seconds: 60)
    let past = try #require(old.log.numberReached)
    old.log.close()
    let start = NumberStart(
      programme: past.programme + MediaTime(seconds: 5000), number: past.number + 800,
      discontinuities: 2)
    (configuration.numberStart, configuration.numberLeast) = (start, start.number - 3)
    let disk = try LogOnDisk(configuration, in: directory, clock: clock)
    // The old numbers are not told as if they were the newest.
    #expect(disk.log.numberReached == start)
    #expect(Cells(disk.log, at: disk.clock.now).list().pieces.isEmpty)
    disk.feed(seconds: 60)
    let marks = numbers(disk.log)
    let jump = try #require(marks.last)
    #expect(jump.isJump && jump.number == start.number && jump.programme == start.programme)
    #expect(jump.discontinuities == 2)
    let pieces = Cells(disk.log, at: disk.clock.now).list().pieces
    #expect(try #require(pieces.first).number >= start.number)
    disk.log.close()
    // The jump is in the folder.
    let again = try LogOnDisk(
      LogConfiguration(retention: MediaTime(seconds: 900)), in: directory, clock: clock)
    let known = Dictionary(pieces.map { ($0.number, $0) }) { first, _ in first }
    let later = Cells(again.log, at: again.clock.now).list().pieces
    #expect(
      !later.isEmpty
        && later.allSatisfy { known[$0.number].map { [later] in later.contains($0) } ?? true })
    #expect(try #require(again.log.numberReached).number > start.number + 5)
  }

  @Test(arguments: [(lost: Int64(5), isOld: false), (8, true)])
  func `a loss of power takes a few pieces from a folder, and no more`(
    row: (lost: Int64, isOld: Bool)
  ) throws {
    var configuration = LogConfiguration(retention: MediaTime(seconds: 900))
    let directory = TemporaryDirectory()
    let old = try LogOnDisk(configuration, in: directory, clock: clock)
    old.feed(seconds: 60)
    var reached = try #require(old.log.numberReached)
    old.log.close()
    reached.number += row.lost
    let note = NumberNote(reached, at: clock.now, isFinal: false, on: boot)
    configuration.numberStart = note.start(at: clock.now, on: boot)
    configuration.numberLeast = note.least
    let disk = try LogOnDisk(configuration, in: directory, clock: clock)
    #expect((disk.log.numberReached == configuration.numberStart) == row.isOld)
    #expect(Cells(disk.log, at: clock.now).list().pieces.isEmpty == row.isOld)
  }

  @Test func `titles of logs without a past have names of their own`() throws {
    var configuration = LogConfiguration()
    let first = PacketLog(memoryOnly: configuration, at: clock.now)
    first.markTitle(Title(text: "One"))
    first.feed(seconds: 20, by: clock)
    let before = Cells(first, at: clock.now).list().titles
    let note = try #require(first.numberReached)
    configuration.numberStart = NumberNote(note, at: clock.now, isFinal: true, on: boot)
      .start(at: clock.now, on: boot)
    let second = PacketLog(memoryOnly: configuration, at: clock.now)
    second.markTitle(Title(text: "Two"))
    second.feed(seconds: 20, by: clock)
    let after = Cells(second, at: clock.now).list().titles
    #expect(before.count == 1 && after.count == 1)
    #expect(before.first?.mark.position == after.first?.mark.position)
    #expect(before.first?.programme != after.first?.programme)
  }

  @Test func `a restart right behind a border leaves out no packet`() throws {
    for packets in 228...236 {
      let configuration = LogConfiguration(retention: MediaTime(seconds: 900))
      let directory = TemporaryDirectory()
      let old = try LogOnDisk(configuration, in: directory, clock: clock)
      old.log.feed(seconds: Double(packets) * 1152 / 44_100, by: clock) { old.turn() }
      old.log.close()
      let disk = try LogOnDisk(configuration, in: directory, clock: clock)
      let writer = try #require(disk.log.writer())
      writer.markGap(seconds: 3, cause: .restart)
      writer.end()
      disk.feed(seconds: 30)
      let cut = try #require(numbers(disk.log).last)
      #expect(cut.isCut && cut.before == MediaTime(samples: 1152, rate: 44_100), "\(packets)")
      let pieces = Cells(disk.log, at: disk.clock.now).list().pieces
      for (piece, next) in zip(pieces, pieces.dropFirst()) {
        #expect(next.start - piece.end < MediaTime(samples: 1152, rate: 44_100), "\(packets)")
      }
    }
  }

  @Test func `a folder that has come as far goes on as if nothing had been noted`() throws {
    var configuration = LogConfiguration(retention: MediaTime(seconds: 900))
    let directory = TemporaryDirectory()
    let old = try LogOnDisk(configuration, in: directory, clock: clock)
    old.log.markTitle(Title(text: "One"))
    old.feed(seconds: 62)
    old.log.markTitle(Title(text: "Two"))
    old.feed(seconds: 3)
    let note = NumberNote(
      try #require(old.log.numberReached), at: clock.now, isFinal: true, on: boot)
    old.log.close()
    configuration.numberStart = note.start(at: clock.now, on: boot)
    configuration.numberLeast = note.least
    let disk = try LogOnDisk(configuration, in: directory, clock: clock)
    #expect(disk.log.numberReached == note.reached)
    disk.feed(seconds: 30)
    #expect(!numbers(disk.log).dropFirst().contains { $0.isJump })
  }
}
