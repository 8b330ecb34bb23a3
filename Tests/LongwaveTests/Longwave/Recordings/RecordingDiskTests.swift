import Foundation
import Synchronization
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave

// A recording on a disk that is full or broken for a while, and what is left of it when power is lost.
extension RecordingTests {
  private func work(
    _ entry: RecordingEntry, _ log: PacketLog, on disk: FailingFiles
  ) -> RecordingWork {
    var space = space(folder.path)
    space.calls = disk.calls
    return RecordingWork(entry, log: log, station: "All Jazz", space: space)
  }

  private func numbers(_ entry: RecordingEntry) throws -> [UInt64] {
    try entry.files.flatMap { try NumberedFrames.numbers(in: audio(file($0.name))) }
  }

  @Test(arguments: [ENOSPC, EIO, EROFS, EACCES, ENOENT, ESTALE])
  func `an error of the disk that passes costs no packet`(error: Int32) throws {
    let (station, disk, clock) = (numbered(5), FailingFiles(), ManualClock())
    let work = work(entry(station.log, from: 0, to: nil), station.log, on: disk)
    for second in 0..<60 {
      disk.set { $0.writeError = (20..<22).contains(second) ? error : nil }
      #expect(try !work.attempt(isEnding: false, at: clock.now))
      let isWaiting = (20..<30).contains(second)
      #expect((work.entry.reason != nil) == isWaiting, "\(second)")
      station.append(38, at: .now())
      clock.advance(seconds: 1)
    }
    #expect(try work.attempt(isEnding: true, at: clock.now))
    #expect(try numbers(work.entry) == Array(0..<station.next))
    #expect(work.entry.missedSeconds == 0 && work.entry.files.count == 2)
    #expect(folder.names.sorted() == work.entry.files.map(\.name).sorted())
  }

  @Test func `a full disk costs nothing where the log lost its end`() throws {
    let (old, clock) = (numbered(10), ManualClock())
    let before = work(entry(old.log, from: 0, to: nil), old.log)
    #expect(try !before.attempt(isEnding: false, at: clock.now))
    // The same without its last two seconds.
    let (station, disk) = (numbered(8), FailingFiles())
    let lost = station.next
    var space = space(folder.path)
    space.calls = disk.calls
    let after = RecordingWork(
      before.entry, log: station.log, from: station.log.snapshot().edge, station: "All Jazz",
      space: space)
    #expect(try !after.attempt(isEnding: false, at: clock.now))
    station.log.markGap(seconds: 30, cause: .restart)
    for second in 0..<30 {
      station.append(38, at: .now())
      disk.set { $0.room = second < 20 ? 0 : nil }
      #expect(try !after.attempt(isEnding: false, at: clock.now))
      clock.advance(seconds: 1)
    }
    #expect(try after.attempt(isEnding: true, at: clock.now))
    #expect(try numbers(after.entry) == Array(0..<old.next) + Array(lost..<station.next))
  }

  @Test func `a recording whose folder is removed goes on in another file`() throws {
    let (station, disk, clock) = (numbered(5), FailingFiles(), ManualClock())
    let work = work(entry(station.log, from: 0, to: nil), station.log, on: disk)
    for second in 0..<60 {
      if second == 20 { try FileManager.default.removeItem(atPath: folder.path) }
      #expect(try !work.attempt(isEnding: false, at: clock.now))
      station.append(38, at: .now())
      clock.advance(seconds: 1)
    }
    #expect(try work.attempt(isEnding: true, at: clock.now))
    #expect(try numbers(work.entry) == Array(0..<station.next))
    #expect(work.entry.missedSeconds == 0 && work.entry.files.count == 1)
    #expect(abs(work.entry.seconds - Double(station.next) * 1152 / 44_100) < 0.1)
    #expect(folder.names == work.entry.files.map(\.name))
  }

  @Test func `audio that left the window while the disk was full is told as missing`() throws {
    let (disk, clock) = (FailingFiles(), ManualClock())
    let station = numbered(5, windowBytes: 128 << 10)
    let work = work(entry(station.log, from: 0, to: nil), station.log, on: disk)
    for second in 0..<100 {
      disk.set { $0.room = (20..<60).contains(second) ? 0 : nil }
      #expect(try !work.attempt(isEnding: false, at: clock.now))
      station.append(38, at: .now())
      clock.advance(seconds: 1)
    }
    #expect(try work.attempt(isEnding: true, at: clock.now))
    let kept = try numbers(work.entry)
    let missing = (Double(station.next) - Double(kept.count)) * 1152 / 44_100
    #expect(missing > 5 && abs(work.entry.missedSeconds - missing) < 0.1)
    #expect(Set(kept).count == kept.count && kept.last == station.next - 1)
  }

  /// Others who read the past may have put a segment away as soon as the next one is open.
  @Test(arguments: [false, true]) func `a recording of the past needs one segment at a time`(
    splits: Bool
  ) throws {
    var configuration = LogConfiguration(retention: MediaTime(seconds: 86400))
    configuration.segment = MediaTime(seconds: 5)
    let past = try LogOnDisk(configuration, handlesMax: 1)
    let station = NumberedLog(log: past.log, seconds: 0, packetsPerTitle: 300)
    for _ in 0..<150 {
      station.append(38, at: past.clock.now)
      past.clock.advance(seconds: 1)
      past.turn()
    }
    let work = work(entry(past.log, from: 0, to: nil) { $0.splits = splits }, past.log)
    var turns = 0
    while try turns < 2000 && !work.attempt(isEnding: true, at: past.clock.now) {
      past.turn()
      turns += 1
    }
    #expect(try numbers(work.entry) == Array(0..<station.next))
  }

  @Test func `audio that cannot be read when a recording goes on is missing, whatever the clock`()
    throws
  {
    var configuration = LogConfiguration(retention: MediaTime(seconds: 86400))
    configuration.segment = MediaTime(seconds: 5)
    let before = try LogOnDisk(configuration)
    let station = NumberedLog(log: before.log, seconds: 0)
    for _ in 0..<30 {
      station.append(38, at: before.clock.now)
      before.clock.advance(seconds: 1)
      before.turn()
    }
    var entry = entry(before.log, from: 0, to: nil)
    let first = work(entry, before.log)
    first.stop(
      RecordingEntry.Stop(air: entry.options.from! + 12_000_000_000), at: before.clock.now)
    while try !first.attempt(isEnding: false, at: before.clock.now) { before.turn() }
    entry = first.entry
    entry.stop = nil
    // The clock has been set since.
    entry.place?.air? += 9_000_000_000
    let place = try #require(entry.place).position
    // By where they begin, with twenty digits.
    let segments = before.directory.names.filter { $0.hasSuffix(".idx") }.sorted()
    let segment = try #require(segments.last { UInt64($0.prefix(20))! <= place })
    before.log.close()
    let disk = FailingFiles()
    disk.set { $0.openErrors = [segment: EIO] }
    let after = try LogOnDisk(configuration, in: before.directory, clock: before.clock, disk: disk)
    let work = work(entry, after.log)
    for _ in 0..<100 where try !work.attempt(isEnding: true, at: after.clock.now) { after.turn() }
    let kept = try numbers(work.entry)
    let missing = Double(station.next - UInt64(kept.count)) * 1152 / 44_100
    #expect(missing > 1 && missing < 5.1 && abs(work.entry.missedSeconds - missing) < 0.01)
    #expect(kept.last == station.next - 1)
    after.log.close()
  }

  @Test func `audio written since the last good sync is written again`() throws {
    let (station, disk, clock) = (numbered(5), FailingFiles(), ManualClock())
    let work = work(entry(station.log, from: 0, to: nil), station.log, on: disk)
    for second in 0..<40 {
      disk.set { $0.syncError = (18..<26).contains(second) ? EIO : nil }
      #expect(try !work.attempt(isEnding: false, at: clock.now))
      station.append(38, at: .now())
      clock.advance(seconds: 1)
    }
    #expect(try work.attempt(isEnding: true, at: clock.now))
    #expect(try numbers(work.entry) == Array(0..<station.next))
    let first = try NumberedFrames.numbers(in: audio(file(work.entry.files[0].name)))
    #expect(Double(first.count) * 1152 / 44_100 < 22, "nothing that was not synced")
  }

  @Test func `power that is lost costs no packet, and nothing is told that was not synced`() throws
  {
    let (station, disk, clock) = (numbered(5), FailingFiles(), ManualClock())
    let work = work(entry(station.log, from: 0, to: nil), station.log, on: disk)
    var syncs = 0
    for _ in 0..<22 {
      let before = disk.plan.withLock { $0.syncsBegun }
      #expect(try !work.attempt(isEnding: false, at: clock.now))
      if disk.plan.withLock({ $0.syncsBegun }) > before { syncs += 1 }
      station.append(38, at: .now())
      clock.advance(seconds: 1)
    }
    #expect(syncs >= 4)
    let known = try #require(work.synced.current)
    let path = folder.path + "/" + known.name + ".part"
    #expect(known.bytes > 0 && known.seconds > 15)
    // What was not synced is gone.
    #expect(truncate(path, off_t(known.bytes)) == 0)
    let after = self.work(work.synced, station.log, on: disk)
    #expect(try after.attempt(isEnding: true, at: clock.now))
    #expect(try numbers(after.entry) == Array(0..<station.next))
    #expect(after.entry.missedSeconds == 0)
  }

  @Test func `a disk that is full when the server stops does not end a recording`() throws {
    let (station, disk, clock) = (numbered(15), FailingFiles(), ManualClock())
    let work = work(entry(station.log, from: 0, to: nil), station.log, on: disk)
    #expect(try !work.attempt(isEnding: false, at: clock.now))
    station.append(100, at: .now())
    disk.set { $0.room = 0 }
    #expect(try work.attempt(isEnding: true, goesOn: true, at: clock.now))
    disk.set { $0.room = nil }
    let after = self.work(work.entry, station.log, on: disk)
    #expect(try after.attempt(isEnding: true, at: clock.now))
    #expect(try numbers(after.entry) == Array(0..<station.next))
  }

  @Test func `an error that does not pass by itself ends a recording at once`() throws {
    let (station, disk, clock) = (numbered(15), FailingFiles(), ManualClock())
    let work = work(entry(station.log, from: 0, to: nil), station.log, on: disk)
    disk.set { $0.writeError = ENAMETOOLONG }
    #expect(throws: RecordingError.self) {
      try work.attempt(isEnding: false, at: clock.now)
    }
  }
}
