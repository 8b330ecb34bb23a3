import Foundation
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave

// What a crash leaves, and what is left alone when recordings are deleted.
extension RecordingTests {
  fileprivate var show: URL { URL(filePath: folder.path + "/show.mp3") }

  @Test func `an appended file is cut back after a crash, and goes on without a packet twice`()
    throws
  {
    let station = numbered(5)
    let first = work(entry(station.log, from: 0, to: nil) { $0.name = "show" }, station.log)
    #expect(try first.turn(isEnding: true, now: Moment.now().wall))
    var entry = entry(station.log, from: 0, to: nil) {
      ($0.name, $0.appends, $0.from) = ("show", true, nil)
    }
    for round in 0..<3 {
      let work = work(entry, station.log)
      _ = try work.turn(isEnding: false, now: Moment.now().wall)
      entry = work.entry
      station.append(100, at: .now())
      // What is known is older than what is written, the last of it torn.
      _ = try work.turn(isEnding: false, now: Moment.now().wall)
      withExtendedLifetime(work) {}
      let torn = Array(try file("show.mp3")) + NumberedFrames.frame(7).prefix(100)
      if round > 0 { try torn.withUnsafeBytes { try Data($0).write(to: show) } }
    }
    let last = work(entry, station.log)
    #expect(try last.turn(isEnding: true, now: Moment.now().wall))
    #expect(folder.names == ["show.mp3"])
    let numbers = try NumberedFrames.numbers(in: audio(file("show.mp3")))
    #expect(areUnbroken(numbers) && numbers.last == station.next - 1)
    #expect(Set(last.entry.files.map(\.name)) == ["show.mp3"])
  }

  @Test func `a file that another recording writes is not continued`() throws {
    let station = numbered(5)
    try Data().write(to: show)
    let works = [1, 2].map { _ in
      work(
        entry(station.log, from: 0, to: nil) { ($0.name, $0.appends) = ("show", true) }, station.log
      )
    }
    for work in works { _ = try work.turn(isEnding: false, now: Moment.now().wall) }
    for work in works { #expect(try work.turn(isEnding: true, now: Moment.now().wall)) }
    #expect(folder.names.sorted() == ["show-2.mp3", "show.mp3"])
  }

  @Test(arguments: [true, false])
  func `a recording goes on with what comes where a crash took the log's end`(isStitched: Bool)
    throws
  {
    let old = numbered(10)
    var entry = entry(old.log, from: 0, to: nil)
    let before = work(entry, old.log)
    _ = try before.turn(isEnding: false, now: Moment.now().wall)
    entry = before.entry
    // What a restart finds: the same without its last two seconds.
    let station = numbered(8)
    let edge = station.log.snapshot().edge
    let after = RecordingWork(
      entry, log: station.log, from: edge, station: "All Jazz", space: space(folder.path))
    #expect(try !after.turn(isEnding: false, now: Moment.now().wall))
    if !isStitched { station.log.markGap(seconds: 30, cause: .restart) }
    station.append(200, at: .now())
    #expect(try after.turn(isEnding: true, now: Moment.now().wall))
    let numbers = try after.entry.files.map {
      try NumberedFrames.numbers(in: audio(file($0.name)))
    }
    let lost = UInt64(8.0 * 44_100 / 1152)
    try #require(numbers.count == 2)
    #expect(numbers[1] == Array((isStitched ? numbers[0].last! + 1 : lost)..<station.next))
  }

  @Test(arguments: [false, true])
  func `a recording goes on behind a loss though positions were given again`(
    isCutAgain: Bool
  ) throws {
    let old = numbered(8)
    old.log.markGap(seconds: 100.0 / 3, cause: .restart)
    old.append(80, at: .now())
    let before = work(entry(old.log, from: 0, to: nil), old.log)
    _ = try before.turn(isEnding: false, now: Moment.now().wall)
    // The same without its last two seconds; another process has been there, of which nobody knows.
    let station = numbered(8)
    let lost = station.next
    station.log.markGap(seconds: 31, cause: .restart)
    station.append(isCutAgain ? 40 : 200, at: .now())
    let stored = try JSONDecoder().decode(
      RecordingEntry.self, from: JSONEncoder().encode(before.entry))
    let after = RecordingWork(
      stored, log: station.log, from: station.log.snapshot().edge, station: "All Jazz",
      space: space(folder.path))
    _ = try after.turn(isEnding: false, now: Moment.now().wall)
    station.log.markGap(seconds: 32, cause: .restart)
    station.append(200, at: .now())
    #expect(try after.turn(isEnding: true, now: Moment.now().wall))
    let numbers = try after.entry.files.map {
      try NumberedFrames.numbers(in: audio(file($0.name)))
    }
    #expect(numbers == [Array(0..<old.next), Array(lost..<station.next)])
    #expect(after.entry.missedSeconds == 0)
  }

  @Test func `a whole file longer than was known is continued without repeating anything`() throws {
    let station = numbered(10, windowBytes: 512 << 10)
    var known = entry(station.log, from: 0, to: nil)
    let before = work(known, station.log)
    _ = try before.turn(isEnding: false, now: Moment.now().wall)
    known = before.entry
    station.append(600, at: .now())
    #expect(try before.turn(isEnding: true, now: Moment.now().wall))
    let edge = try #require(before.entry.place).position
    // A loss of power takes the rest from the list, and the window has moved in between.
    while station.log.oldest.position <= known.place?.position ?? 0 {
      station.append(10, at: .now())
    }
    #expect(station.log.oldest.position < edge)
    let after = work(known, station.log)
    #expect(try after.turn(isEnding: true, now: Moment.now().wall))
    let numbers = try after.entry.files.flatMap {
      try NumberedFrames.numbers(in: audio(file($0.name)))
    }
    #expect(numbers == Array(0..<station.next))
    let seconds = Double(station.next) * 1152 / 44_100
    #expect(abs(after.entry.seconds - seconds) < 0.5 && after.entry.missedSeconds < 0.5)
    let bytes = try after.entry.files.reduce(0) { $0 + Int64(try file($1.name).count) }
    #expect(after.entry.bytes == bytes)
  }

  @Test(arguments: [0.0, 12])
  func `a whole file keeps what its log has lost`(secondsLeft: Double) throws {
    let old = numbered(10)
    var known = entry(old.log, from: 0, to: nil)
    let before = work(known, old.log)
    _ = try before.turn(isEnding: false, now: Moment.now().wall)
    known = before.entry
    old.append(600, at: .now())
    #expect(try before.turn(isEnding: true, now: Moment.now().wall))
    // A crash takes the rest from the list, and from the log more than that has.
    let station = numbered(secondsLeft)
    let begin = station.next
    let after = RecordingWork(
      known, log: station.log, from: station.log.snapshot().edge, station: "All Jazz",
      space: space(folder.path))
    station.log.markGap(seconds: 30, cause: .restart)
    station.append(200, at: .now())
    #expect(try after.turn(isEnding: true, now: Moment.now().wall))
    let numbers = try after.entry.files.map {
      try NumberedFrames.numbers(in: audio(file($0.name)))
    }
    #expect(numbers == [Array(0..<old.next), Array(begin..<station.next)])
    let seconds = Double(old.next + 200) * 1152 / 44_100
    #expect(abs(after.entry.seconds - seconds) < 0.5)
  }

  @Test func `a gap that comes back with a segment, in front of one that was there, tells nothing`()
    throws
  {
    let stations = [false, true].map { isWhole in
      let station = numbered(4)
      if isWhole { station.log.markGap(seconds: 20, cause: .restart) }
      station.append(100, at: .now())
      station.log.markGap(seconds: 30, cause: .restart)
      station.append(100, at: .now())
      return station
    }
    let before = work(entry(stations[0].log, from: 0, to: nil), stations[0].log)
    _ = try before.turn(isEnding: false, now: Moment.now().wall)
    let after = work(before.entry, stations[1].log)
    stations[1].append(50, at: .now())
    #expect(try after.turn(isEnding: true, now: Moment.now().wall))
    let numbers = try after.entry.files.flatMap {
      try NumberedFrames.numbers(in: audio(file($0.name)))
    }
    #expect(numbers == Array(0..<stations[1].next))
  }

  @Test func `files are deleted only as they were left`() throws {
    let log = numbered(5).log
    let work = work(entry(log, from: 0, to: nil), log)
    #expect(try work.turn(isEnding: true, now: Moment.now().wall))
    let known = try #require(work.entry.files.first)
    let path = folder.path + "/" + known.name
    var other = known
    other.bytes += 1
    #expect(!RecordingFile.remove(other, in: folder.path))
    other = known
    other.modified = nil
    #expect(!RecordingFile.remove(other, in: folder.path))
    other = known
    other.name = "../" + URL(filePath: folder.path).lastPathComponent + "/" + known.name
    #expect(!RecordingFile.remove(other, in: folder.path))
    let date = Date(timeIntervalSince1970: 1_000_000)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    #expect(!RecordingFile.remove(known, in: folder.path) && folder.names == [known.name])
    other = known
    other.modified = 1_000_000_000_000_000
    #expect(RecordingFile.remove(other, in: folder.path) && folder.names.isEmpty)
    #expect(!RecordingFile.remove(known, in: folder.path))
  }

  @Test func `a recording goes on where it was after a crash, without a packet less or more`()
    throws
  {
    let station = numbered(5)
    var entry = entry(station.log, from: 0, to: nil)
    for round in 0..<3 {
      let work = work(entry, station.log)
      _ = try work.turn(isEnding: false, now: Moment.now().wall)
      entry = work.entry
      station.append(100, at: .now())
      // What is known is older than what is written.
      if round == 1 { _ = try work.turn(isEnding: false, now: Moment.now().wall) }
    }
    let last = work(entry, station.log)
    #expect(try last.turn(isEnding: true, now: Moment.now().wall))
    let names = last.entry.files.map(\.name)
    #expect(names == ["jazz 001.mp3", "jazz 002.mp3", "jazz 003.mp3", "jazz 004.mp3"])
    let bytes = try names.flatMap { audio(try file($0)) }
    #expect(try NumberedFrames.numbers(in: bytes) == Array(0..<station.next))
    #expect(last.entry.missedSeconds == 0)
  }
}
