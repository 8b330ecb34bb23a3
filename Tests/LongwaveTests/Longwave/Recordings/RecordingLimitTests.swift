import Glibc
import Synchronization
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave

// How much a recording may come to, and what stays of one that cannot go on.
extension RecordingTests {
  private func reason(_ bytes: Int) -> String {
    "the recording has the \(SizeText.format(UInt64(bytes))) that max-size allows"
  }

  private func sizes(_ work: RecordingWork) throws -> Int {
    try Set(work.entry.files.map(\.name)).reduce(0) { try $0 + file($1).count }
  }

  // A packet has 417 bytes, or 418.
  @Test(arguments: [0, 1, 416])
  func `a recording ends with the last whole packet it has room for, tag and all`(spare: Int) throws
  {
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

  @Test func `a recording's size limit holds while it runs, also over restarts`() throws {
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

  @Test func `the files of a recording split by title have its size together`() throws {
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

  @Test func `a file appended to counts towards its limit, and stays as it is when full`() throws {
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
  func `an Ogg recording ends between two pages, headers and all`(codec: Fixtures.OggCodec) throws {
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

  @Test func `a recording that cannot go on keeps what is whole of its file`() async throws {
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

  @Test func `a recording that waits for its disk is told once, and once when it goes on`()
    async throws
  {
    let log = numbered(10).log
    let missing = folder.path + "/not-mounted"
    let told = Mutex<[String]>([])
    let recorder = Recorder(
      entry(log, from: 0, to: nil), log: log, delay: .zero, station: "Jazz",
      space: space(missing + "/shows", limit: 10_000_000)
    ) { _ in
    } reportWaiting: { entry, isWaiting in
      told.withLock { $0.append(isWaiting ? entry.reason ?? "" : "it goes on") }
    }
    recorder.start()
    try await eventually("it waits") { told.withLock { !$0.isEmpty } }
    mkdir(missing, 0o700)
    try await eventually("it goes on", within: 60) { told.withLock { $0.count > 1 } }
    await recorder.end()
    let words = told.withLock(\.self)
    #expect(words.count == 2 && words.last == "it goes on", "\(words)")
    #expect(words.first?.contains("No such file or directory") == true)
    let entry = recorder.entry
    #expect(entry.state == .finished && entry.reason == nil && entry.fileCount == 1)
  }

  /// Packets with a title each, from an upstream that says how often they change.
  private func flooded(packets: UInt64, packetsPerTitle: UInt64) -> PacketLog {
    var window = LogConfiguration()
    window.windowBytes = 64 << 20
    let station = NumberedLog(
      log: PacketLog(memoryOnly: window, at: .now()), seconds: 0, packetsPerTitle: packetsPerTitle)
    while station.next < packets { station.append(200, at: .now()) }
    return station.log
  }

  @Test func `titles that last no second begin no files, and the folder is not looked at for each`()
    throws
  {
    let log = flooded(packets: 2000, packetsPerTitle: 1)
    let space = space(folder.path)
    let work = RecordingWork(
      entry(log, from: 0, to: nil) { $0.splits = true }, log: log, station: "All Jazz", space: space
    )
    #expect(try work.turn(isEnding: true, now: Moment.now().wall))
    let seconds = 2000 * 1152 / 44_100.0
    #expect(work.entry.fileCount > 20 && work.entry.fileCount <= Int(seconds) + 1)
    #expect(abs(work.entry.seconds - seconds) < 0.1 && work.entry.missedSeconds == 0)
    let numbers = try work.entry.files.flatMap {
      try NumberedFrames.numbers(in: audio(file($0.name)))
    }
    #expect(numbers == Array(0..<2000))
    // Once every few seconds, however many files there are.
    #expect(space.looks < 10)
  }

  @Test func `a recording of too many files puts the rest into the last, and says so`() throws {
    let log = flooded(packets: 42_000, packetsPerTitle: 40)
    let work = work(entry(log, from: 0, to: nil) { $0.splits = true }, log)
    #expect(try work.turn(isEnding: true, now: Moment.now().wall))
    #expect(work.entry.fileCount == RecordingEntry.filesMax)
    #expect(work.entry.reason?.contains("1000 files") == true)
    let last = try #require(work.entry.files.last)
    let numbers = try NumberedFrames.numbers(in: audio(file(last.name)))
    #expect(numbers == Array(UInt64(40 * (RecordingEntry.filesMax - 1))..<42_000))
    #expect(folder.names.count == RecordingEntry.filesMax)
  }

  @Test func `many files of one name are not counted through for each`() throws {
    for number in 1...40 {
      let name = number == 1 ? "show.mp3" : "show-\(number).mp3"
      folder.write(name, [1])
    }
    let log = numbered(5).log
    let work = work(entry(log, from: 0, to: 3) { $0.name = "show" }, log)
    #expect(try work.turn(isEnding: false, now: Moment.now().wall))
    #expect(work.entry.files.map(\.name) == ["show-41.mp3"])
  }

  @Test
  func `a recording that is behind is given up a while after its end, and what is whole stays`()
    throws
  {
    let log = numbered(60, windowBytes: 32 << 20).log
    let work = work(entry(log, from: 0, to: nil), log)
    var asked = 0
    let isOver = try work.turn(isEnding: true, now: Moment.now().wall) {
      asked += 1
      return asked > 3
    }
    #expect(!isOver && work.entry.seconds > 0 && work.entry.seconds < 60)
    work.abandon()
    let numbers = try NumberedFrames.numbers(in: audio(file(work.entry.files[0].name)))
    #expect(!numbers.isEmpty && numbers == Array(0..<UInt64(numbers.count)))
    #expect(work.entry.files.count == 1 && work.entry.current == nil)
  }
}
