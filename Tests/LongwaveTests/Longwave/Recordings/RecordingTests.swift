import Foundation
import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave
@testable import Settings

/// What recordings write, from logs nobody else adds to.
@Suite(.serialized) struct RecordingTests {
  let folder = TemporaryDirectory()

  func numbered(_ seconds: Double, windowBytes: Int = 4 << 20) -> NumberedLog {
    var window = LogConfiguration()
    window.windowBytes = windowBytes
    return NumberedLog(log: PacketLog(memoryOnly: window, at: .now()), seconds: seconds)
  }

  func entry(
    _ log: PacketLog, from: Double, to: Double?,
    _ change: (inout RecordingEntry.Options) -> Void = { _ in }
  ) -> RecordingEntry {
    let oldest = log.snapshot().oldestAir.stored
    var options = RecordingEntry.Options(station: "jazz", name: "{station} {number}")
    options.from = oldest + Int64(from * 1e9)
    options.until = to.map { oldest + Int64($0 * 1e9) }
    change(&options)
    return RecordingEntry(id: 1, options: options, startedAt: oldest)
  }

  func work(_ entry: RecordingEntry, _ log: PacketLog) -> RecordingWork {
    RecordingWork(entry, log: log, station: "All Jazz", space: space(folder.path))
  }

  func space(_ folder: String, limit: UInt64 = 1 << 40) -> RecordingSpace {
    var section = RecordingSection()
    (section.folder, section.diskLimit) = (folder, limit)
    return RecordingSpace(section, data: "/nowhere")
  }

  func file(_ name: String) throws -> [UInt8] { try readFile(folder.path + "/" + name) }

  /// What stands behind an ID3 tag.
  func audio(_ file: [UInt8]) -> [UInt8] {
    guard file.starts(with: "ID3".utf8) else { return file }
    let size = file[6..<10].reduce(0) { $0 << 7 | Int($1) }
    return Array(file[(10 + size)...])
  }

  func clip(_ log: PacketLog, _ options: RecordingEntry.Options) throws -> [UInt8] {
    let reader = LogReader(log)
    let answer = reader.clip(
      from: WallTime(nanoseconds: options.from!), to: WallTime(nanoseconds: options.until!))
    guard case .clip(let clip) = answer else { throw NoClip() }
    let scratch = UnsafeMutableRawBufferPointer.allocate(
      byteCount: LogReader.clipScratchBytes, alignment: 16)
    defer { scratch.deallocate() }
    var bytes: [UInt8] = []
    while bytes.count < clip.byteCount,
      case .bytes(let piece) = reader.read(
        clip, at: bytes.count, limit: scratch.count, scratch: scratch)
    {
      bytes += piece
    }
    return bytes
  }

  struct NoClip: Error {}

  func probe(_ name: String) throws -> [String: String] {
    let answer = try Tool.must(
      [
        "ffprobe", "-v", "error", "-show_entries",
        "format=duration:format_tags:stream_tags", "-of", "flat", folder.path + "/" + name,
      ], in: TemporaryDirectory())
    var values: [String: String] = [:]
    for line in String(decoding: answer.output, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1)
      let key = parts[0].split(separator: ".").last!.lowercased()
      values[key] = parts[1].trimmingCharacters(in: CharacterSet(charactersIn: "\""))
    }
    return values
  }

  @Test func `a recording is the clip of the same span behind its tag`() throws {
    let log = numbered(60).log
    let work = work(entry(log, from: 10.3, to: 47.1), log)
    #expect(try work.turn(isEnding: false, now: Moment.now().wall))
    let done = work.entry.files
    #expect(done.map(\.name) == ["jazz 001.mp3"])
    #expect(try audio(file("jazz 001.mp3")) == clip(log, work.entry.options))
    #expect(abs(work.entry.seconds - 36.8) < 0.03 && work.entry.missedSeconds == 0)
    let probed = try probe("jazz 001.mp3")
    #expect(probed["album"] == "All Jazz" && probed["title"] == "All Jazz")
    #expect(abs((Double(probed["duration"] ?? "") ?? 0) - done[0].seconds) <= 1152.0 / 44_100)
  }

  @Test func `a recording follows a log that grows, and ends where it is told`() throws {
    let station = numbered(5)
    let work = work(entry(station.log, from: 2, to: nil), station.log)
    #expect(try !work.turn(isEnding: false, now: Moment.now().wall))
    #expect(FileManager.default.fileExists(atPath: folder.path + "/jazz 001.mp3.part"))
    for _ in 0..<20 {
      station.append(7, at: .now())
      #expect(try !work.turn(isEnding: false, now: Moment.now().wall))
    }
    #expect(try work.turn(isEnding: true, now: Moment.now().wall))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/jazz 001.mp3.part"))
    let numbers = try NumberedFrames.numbers(in: audio(file("jazz 001.mp3")))
    #expect(numbers == Array(numbers[0]..<station.next))
  }

  @Test(arguments: [0, 1.5])
  func `a recording split by title has a file for each, tagged and as long as it`(overlap: Double)
    throws
  {
    let log = numbered(30).log
    let work = work(
      entry(log, from: 0, to: 20) {
        ($0.splits, $0.overlap, $0.name) = (true, overlap, "{number} {title}")
      }, log)
    #expect(try work.turn(isEnding: false, now: Moment.now().wall))
    let files = work.entry.files
    // 20 s are 766 packets, of which 50 have a title.
    #expect(files.count == 16 && files[3].name == "004 Title 3.mp3")
    let packet = 1152.0 / 44_100
    for (place, known) in files.enumerated() {
      let numbers = try NumberedFrames.numbers(in: audio(file(known.name)))
      let around = UInt64((overlap / packet).rounded(.down))
      let start = UInt64(place * 50)
      #expect(numbers.first! <= start && start - numbers.first! <= around + 1)
      let end = min(765, start + 49 + (around > 0 ? around - 1 : 0))
      #expect(numbers.last! >= end)
      if overlap == 0, place < 15 { #expect(numbers == Array(start..<start + 50)) }
      let probed = try probe(known.name)
      #expect(probed["title"] == "Title \(place)" && probed["album"] == "All Jazz")
      let seconds = Double(probed["duration"] ?? "") ?? 0
      #expect(abs(seconds - known.seconds) <= packet, "\(known.name): \(seconds)")
    }
  }

  @Test(arguments: Fixtures.OggCodec.allCases)
  func `the files of an Ogg recording are streams with their comments`(codec: Fixtures.OggCodec)
    throws
  {
    let (ogg, log) = try FakeOgg.twoTitles(codec)
    let work = work(entry(log, from: 0, to: nil) { $0.splits = true }, log)
    #expect(try work.turn(isEnding: true, now: Moment.now().wall))
    #expect(work.entry.files.count == 2)
    var numbers: [Int] = []
    for (known, artist) in zip(work.entry.files, ["Nina Simone", "Björk"]) {
      let heard = ogg.hear(try file(known.name))
      numbers += heard.numbers
      #expect(heard.isUnbroken && heard.links.count == 1)
      let probed = try probe(known.name)
      #expect(probed["artist"] == artist && probed["album"] == "All Jazz")
      let page = Double(ogg.samples) / Double(ogg.format.sampleRate)
      let seconds = Double(probed["duration"] ?? "") ?? 0
      #expect(abs(seconds - known.seconds) <= page, "\(seconds) \(known.seconds)")
    }
    #expect(numbers == Array(0..<120))
  }

  @Test(arguments: Fixtures.OggCodec.allCases)
  func `an Ogg recording is the clip of the same span behind its own comments`(
    codec: Fixtures.OggCodec
  ) throws {
    let (ogg, log) = try FakeOgg.twoTitles(codec)
    let work = work(entry(log, from: 3.3, to: 17.1), log)
    #expect(try work.turn(isEnding: false, now: Moment.now().wall))
    let known = try #require(work.entry.files.first)
    let (recorded, clipped) = (try file(known.name), try clip(log, work.entry.options))
    let heard = ogg.hear(recorded)
    #expect(heard.isUnbroken && heard.numbers == ogg.hear(clipped).numbers)
    // All but the header pages, the last of which says where the first packet is.
    let pages = heard.numbers.count
    #expect(pages > 60)
    let audio = { (bytes: [UInt8]) in
      Self.pages(bytes).suffix(pages).map { Array($0.dropFirst(27)) }
    }
    #expect(audio(recorded) == audio(clipped))
    let seconds = Double(try probe(known.name)["duration"] ?? "") ?? 0
    let page = Double(ogg.samples) / Double(ogg.format.sampleRate)
    #expect(abs(seconds - known.seconds) <= page, "\(seconds) \(known.seconds)")
  }

  /// Cut where each begins: `OggS`, 27 bytes with the number of segments last, then their lengths (RFC 3533 §6).
  private static func pages(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var (pages, rest): ([ArraySlice<UInt8>], ArraySlice<UInt8>) = ([], bytes[...])
    while rest.count > 27 {
      let segments = Int(rest[rest.startIndex + 26])
      let table = rest.dropFirst(27).prefix(segments)
      let page = rest.prefix(27 + segments + table.reduce(0) { $0 + Int($1) })
      pages.append(page)
      rest = rest.dropFirst(page.count)
    }
    return pages
  }

  @Test(arguments: [false, true])
  func `the files of an AAC recording are whole frames, tagged, as long as they say`(splits: Bool)
    throws
  {
    let adts = try Fixtures.ffmpeg(["-c:a", "aac", "-b:a", "96k"], format: "adts", seconds: 12)
    var window = LogConfiguration()
    window.windowBytes = 4 << 20
    let log = PacketLog(memoryOnly: window, at: .now())
    let format = AudioFormat(codec: .aac, sampleRate: 44_100, channels: 2)
    var (rest, frames) = (adts[...], 0)
    while rest.count > 7 {
      // 13 bits from the 31st (ISO/IEC 13818-7, adts_frame).
      let head = Array(rest.prefix(7)).map(Int.init)
      let frame = rest.prefix((head[3] & 3) << 11 | head[4] << 3 | head[5] >> 5)
      if frames % 200 == 0 { log.markTitle(Title(text: "Title \(frames / 200)")) }
      log.append(Array(frame).span, samples: 1024, format: format)
      rest = rest.dropFirst(frame.count)
      frames += 1
    }
    log.publish(at: .now())
    let work = work(entry(log, from: 1.3, to: 11.1) { $0.splits = splits }, log)
    #expect(try work.turn(isEnding: false, now: Moment.now().wall))
    let files = work.entry.files
    #expect(files.count == (splits ? 3 : 1))
    #expect(
      try files.flatMap { audio(try file($0.name)) } == clip(log, work.entry.options))
    for known in files {
      let packets = try Fixtures.probe(try file(known.name), format: "aac")
      let seconds = packets.reduce(0) { $0 + $1.seconds }
      #expect(abs(seconds - known.seconds) <= 1024.0 / 44_100, "\(seconds) \(known.seconds)")
      let probed = try probe(known.name)
      #expect(probed["album"] == "All Jazz")
      #expect(probed["title"] == known.title ?? "All Jazz")
    }
  }

  @Test func `a recording that begins in the future waits for the first packet behind`() throws {
    let station = numbered(5)
    var entry = entry(station.log, from: 0, to: nil)
    entry.options.from = station.log.snapshot().edgeAir.stored + 1_000_000_000
    entry.options.until = entry.options.from! + 3_600_000_000_000
    let work = work(entry, station.log)
    #expect(try !work.turn(isEnding: false, now: Moment.now().wall))
    let edge = station.next
    let later = Moment.now().adding(seconds: 2)
    station.append(76, at: later)
    #expect(try !work.turn(isEnding: false, now: Moment.now().wall))
    #expect(try work.turn(isEnding: true, now: Moment.now().wall))
    let numbers = try NumberedFrames.numbers(in: audio(file("jazz 001.mp3")))
    // 38 packets are 0.99 s.
    #expect(numbers == Array(edge + 39..<station.next))
    let late = self.work(entry, numbered(1).log)
    let end = entry.options.until! + 60_000_000_000
    #expect(try late.turn(isEnding: false, now: WallTime(nanoseconds: end)))
    #expect(late.entry.files.isEmpty)
  }

  @Test func `a schedule that is made longer is recorded longer`() throws {
    let log = numbered(30).log
    let work = work(entry(log, from: 0, to: 10), log)
    let start = log.snapshot().oldestAir.seconds
    let airing = Airing(start: Int64(start), end: Int64(start) + 20)
    work.use(RecordingEntry.Schedule(RecordingRule(from: 0, to: 60), airing))
    #expect(try work.turn(isEnding: false, now: Moment.now().wall))
    #expect(work.entry.seconds > 18 && work.entry.schedule?.airing == airing)
  }

  @Test func `audio that the window has given up is counted as missing`() throws {
    let station = numbered(10, windowBytes: 512 << 10)
    // The window moves when something is published.
    for _ in 0..<100 { station.append(38, at: .now()) }
    let log = station.log
    var entry = entry(log, from: 0, to: nil)
    entry.place = RecordingEntry.Place(.zero)
    let oldest = log.oldest.media.seconds
    let work = work(entry, log)
    #expect(try work.turn(isEnding: true, now: Moment.now().wall))
    #expect(oldest > 30 && abs(work.entry.missedSeconds - oldest) < 0.001)
  }

  @Test func `a new format begins another file, and a taken name gets a number`() throws {
    let station = numbered(5)
    for number in 0..<100 {
      station.log.append(
        NumberedFrames.frame(UInt64(number)).span, samples: 1152,
        format: AudioFormat(codec: .mp3, sampleRate: 48_000, channels: 2))
    }
    station.log.publish(at: .now())
    let first = work(entry(station.log, from: 0, to: nil) { $0.name = "same" }, station.log)
    #expect(try first.turn(isEnding: true, now: Moment.now().wall))
    #expect(first.entry.files.map(\.name) == ["same.mp3", "same-2.mp3"])
    #expect(try NumberedFrames.numbers(in: audio(file("same-2.mp3"))) == Array(0..<100))
    let before = try file("same.mp3")
    let more = work(
      entry(station.log, from: 0, to: 2) { ($0.name, $0.appends) = ("same", true) }, station.log)
    #expect(try more.turn(isEnding: true, now: Moment.now().wall))
    let after = try file("same.mp3")
    #expect(after.starts(with: before))
    #expect(try Array(after[before.count...]) == clip(station.log, more.entry.options))
  }

  @Test func `audio that the folder has no room for is not recorded`() throws {
    let log = numbered(5).log
    let first = work(entry(log, from: 0, to: nil), log)
    #expect(try first.turn(isEnding: true, now: Moment.now().wall))
    let second = RecordingWork(
      entry(log, from: 0, to: nil), log: log, station: "Jazz",
      space: space(folder.path, limit: 50_000))
    #expect(throws: RecordingError.self) {
      _ = try second.turn(isEnding: true, now: Moment.now().wall)
    }
    #expect(folder.names == ["jazz 001.mp3"])
  }

  @Test func `a folder of recordings that cannot be written is refused`() throws {
    let log = numbered(5).log
    let work = RecordingWork(
      entry(log, from: 0, to: nil), log: log, station: "Jazz",
      space: space("/proc/none"))
    #expect(throws: RecordingError.self) {
      _ = try work.turn(isEnding: true, now: Moment.now().wall)
    }
  }
}
