import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave

// How much a recording may come to, and what stays of one that cannot go on.
extension RecordingTests {
  private func reason(_ bytes: Int) -> String {
    "it has the \(SizeText.format(UInt64(bytes))) that max-size allows"
  }

  private func sizes(_ work: RecordingWork) throws -> Int {
    try Set(work.entry.files.map(\.name)).reduce(0) { try $0 + file($1).count }
  }

  // A packet has 417 bytes, or 418.
  @Test(arguments: [0, 1, 416])
  func `it ends with the last whole packet that it has room for, tag and all`(spare: Int) throws {
    let log = numbered(30).log
    let whole = work(entry(log, from: 0, to: 20), log)
    #expect(try whole.turn(isEnding: false, now: Moment.now().wall))
    let bytes = try file("jazz 001.mp3")
    let fitting = bytes.count - audio(bytes).count + NumberedFrames.stream(0..<300).count
    let limited = work(
      entry(log, from: 0, to: 20) {
        ($0.name, $0.bytesMax) = ("limited", Int64(fitting + spare))
      }, log)
    #expect(try limited.turn(isEnding: false, now: Moment.now().wall))
    #expect(try file("limited.mp3") == Array(bytes.prefix(fitting)))
    #expect(limited.entry.bytes == fitting && limited.entry.files[0].bytes == fitting)
    #expect(abs(limited.entry.seconds - 300 * 1152.0 / 44_100) < 0.001)
    #expect(limited.entry.reason == reason(fitting + spare) && whole.entry.reason == nil)
  }

  @Test func `it is followed up to its size, also over restarts`() throws {
    let station = numbered(2)
    let limit = 200_000
    var entry = entry(station.log, from: 0, to: nil) { $0.bytesMax = Int64(limit) }
    var turns = 0
    var isOver = false
    while !isOver, turns < 100 {
      let work = work(entry, station.log)
      for _ in 0..<3 where !isOver {
        isOver = try work.turn(isEnding: false, now: Moment.now().wall)
        station.append(20, at: .now())
      }
      entry = work.entry
      #expect(try isOver || sizes(work) <= limit)
      turns += 1
    }
    #expect(isOver && entry.reason == reason(limit) && entry.files.count > 3)
    let files = try Set(entry.files.map(\.name)).sorted().map { try file($0) }
    let bytes = files.reduce(0) { $0 + $1.count }
    #expect(bytes <= limit && bytes > limit - 700 && entry.bytes == bytes)
    let numbers = try NumberedFrames.numbers(in: files.flatMap { audio($0) })
    #expect(numbers == Array(0..<UInt64(numbers.count)))
  }

  @Test func `split by title, all its files together have the size`() throws {
    let log = numbered(30).log
    let limit = 150_000
    let work = work(
      entry(log, from: 0, to: 20) {
        ($0.splits, $0.overlap, $0.bytesMax) = (true, 0.5, Int64(limit))
      }, log)
    #expect(try work.turn(isEnding: false, now: Moment.now().wall))
    let bytes = try sizes(work)
    #expect(work.entry.files.count > 3 && bytes == work.entry.bytes)
    // Where a tag and a packet do not fit, there is no file.
    #expect(bytes <= limit && bytes > limit - 700)
    #expect(folder.names.sorted() == work.entry.files.map(\.name))
    for known in work.entry.files {
      #expect(try !NumberedFrames.numbers(in: audio(file(known.name))).isEmpty)
    }
    #expect(work.entry.reason == reason(limit))
  }

  @Test func `what it appends to counts, and a file that is full stays as it is`() throws {
    let station = numbered(30)
    func append(from: Double, limit: Int) throws -> RecordingWork {
      let work = work(
        entry(station.log, from: from, to: nil) {
          ($0.name, $0.appends, $0.bytesMax) = ("show", true, Int64(limit))
        }, station.log)
      #expect(try !work.turn(isEnding: false, now: Moment.now().wall) || work.entry.reason != nil)
      #expect(try work.turn(isEnding: true, now: Moment.now().wall))
      return work
    }
    let first = try append(from: 0, limit: 100_000)
    let before = try file("show.mp3")
    #expect(before.count <= 100_000 && first.entry.reason == reason(100_000))
    let second = try append(from: 20, limit: 130_000)
    let after = try file("show.mp3")
    #expect(after.starts(with: before) && second.entry.reason == reason(130_000))
    #expect(after.count <= 130_000 && after.count > 130_000 - 419)
    #expect(second.entry.bytes == after.count - before.count)
    let third = try append(from: 0, limit: 130_000)
    #expect(try file("show.mp3") == after && third.entry.files.isEmpty)
    #expect(third.entry.reason == reason(130_000) && folder.names == ["show.mp3"])
  }

  @Test(arguments: Fixtures.OggCodec.allCases)
  func `in Ogg it ends between two pages, headers and all`(codec: Fixtures.OggCodec) throws {
    let (ogg, log) = try FakeOgg.twoTitles(codec)
    func record(_ bytesMax: Int?) throws -> RecordingWork {
      let work = work(
        entry(log, from: 0, to: nil) {
          ($0.name, $0.bytesMax) = ("of \(bytesMax ?? 0)", bytesMax.map(Int64.init))
        }, log)
      #expect(try work.turn(isEnding: true, now: Moment.now().wall))
      return work
    }
    let whole = try file(record(nil).entry.files[0].name)
    let limit = whole.count * 2 / 3
    let limited = try record(limit)
    let part = try file(limited.entry.files[0].name)
    #expect(whole.starts(with: part) && part.count <= limit)
    let heard = ogg.hear(part)
    #expect(heard.isUnbroken && heard.numbers.count > 30)
    // All of it is pages, and the next one would have been too much.
    guard case .page(let next) = OggPage.read(in: whole.span, at: part.count) else {
      Issue.record("it does not end where a page ends")
      return
    }
    #expect(next.range.upperBound > limit && limited.entry.reason == reason(limit))
    #expect(try record(100).entry.files.isEmpty)
    #expect(folder.names.count == 2)
  }

  @Test func `one that cannot go on keeps what is whole of its file`() async throws {
    // Its folder is looked at again after 16 MB.
    let log = numbered(1100, windowBytes: 32 << 20).log
    let recorder = Recorder(
      entry(log, from: 0, to: nil), log: log, delay: .zero, station: "Jazz",
      space: space(folder.path, limit: 10_000_000)
    ) { _ in }
    recorder.start()
    try await eventually("it ends", within: 60) { recorder.entry.state == .failed }
    let entry = recorder.entry
    #expect(entry.reason?.contains("disk-limit") == true)
    #expect(folder.names == ["jazz 001.mp3"] && entry.files.map(\.name) == folder.names)
    let bytes = try file("jazz 001.mp3")
    let numbers = try NumberedFrames.numbers(in: audio(bytes))
    #expect(numbers.count > 10_000 && areUnbroken(numbers) && numbers[0] == 0)
    #expect(bytes.count == entry.bytes && entry.files[0].bytes == entry.bytes)
    #expect(abs(entry.seconds - Double(numbers.count) * 1152 / 44_100) < 0.001)
  }
}
