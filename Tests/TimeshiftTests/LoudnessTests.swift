import Synchronization
import TestSupport
import Testing
import Wire

@testable import Timeshift

/// What a log knows of how loud its seconds are.
@Suite struct LoudnessTests {
  /// The gain of the frames in a second of media time: ten seconds each of loud, silent, softer.
  private static func gain(at second: Int64) -> Int { [180, 0, 150][Int(second / 10 % 3)] }

  private static func loudness(at second: Int64) -> UInt8 {
    LoudFrames.loudness(gain: gain(at: second))
  }

  /// Real time by the clock, the storage taking its turns.
  private func feed(_ disk: LogOnDisk, upTo end: Double) {
    feed(disk.log, upTo: end, by: disk.clock) { disk.turn() }
  }

  private func feed(
    _ log: PacketLog, upTo end: Double, by clock: ManualClock, turn: () -> Void = {}
  ) {
    while log.writerMedia.seconds < end {
      let before = log.writerMedia
      for _ in 0..<10 {
        let frame = LoudFrames.frame(
          gain: Self.gain(at: log.writerMedia.second), number: Int(log.writerPosition))
        log.append(frame.span, samples: LoudFrames.samples, format: LoudFrames.format)
      }
      clock.advance(seconds: (log.writerMedia - before).seconds)
      log.publish(at: clock.now)
      turn()
    }
  }

  /// The seconds that are told otherwise than they were.
  private func wrong(_ log: PacketLog, in seconds: Range<Int64>) -> [Int64] {
    let line = log.loudness.withLock { $0 }
    return seconds.filter { line[$0] != Self.loudness(at: $0) }
  }

  @Test func `every second is as loud as its frames, at its media time`() throws {
    let clock = ManualClock()
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    feed(log, upTo: 31, by: clock)
    #expect(wrong(log, in: 0..<30) == [])
    let told = log.loudness(at: clock.now)
    #expect(told.isKnown && told.edge.seconds >= 31)
    #expect(told.line.loudest(in: 10..<20) == 0)
    #expect(told.line.loudest(in: 15..<25) == Self.loudness(at: 20))
    #expect(told.line.loudest(in: 0..<Int64.max) == Self.loudness(at: 0))
  }

  @Test func `short noises and short pauses do not stand for a second`() throws {
    var meter = LoudnessMeter()
    var told: [UInt8] = []
    for number in 0..<200 {
      // A tenth of the first second is loud, a tenth of the third is silent.
      let second = number / 38
      let isOdd = number % 38 < 4
      let gain = second == 0 ? (isOdd ? 190 : 120) : second == 2 ? (isOdd ? 0 : 170) : 150
      let media = MediaTime(samples: number * 1152, rate: 44_100)
      let frame = LoudFrames.frame(gain: gain)
      if let done = meter.add(frame.span, .mp3, at: media) { told.append(done.loudness) }
    }
    #expect(told[0] == LoudFrames.loudness(gain: 120))
    #expect(told[2] == LoudFrames.loudness(gain: 170))
  }

  @Test func `audio that does not say how loud it is is unknown, and takes no room`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 30)
    #expect(disk.log.loudness.withLock { $0.isEmpty })
    disk.log.close()
    let index = try #require(disk.directory.names.first { $0.hasSuffix(".idx") })
    let scan = try #require(SegmentScan(disk.directory.read(index)))
    #expect(scan.marks.loudness.isEmpty && scan.footer != nil)
  }

  @Test func `a log that is opened again knows its past`() throws {
    let directory = TemporaryDirectory()
    let clock = ManualClock()
    let disk = try LogOnDisk(in: directory, clock: clock)
    feed(disk, upTo: 155.5)
    disk.log.close()
    let again = try LogOnDisk(in: directory, clock: clock)
    #expect(wrong(again.log, in: 0..<155) == [])
    feed(again, upTo: 190.2)
    // The second in which the log was closed may be known in part only.
    #expect(wrong(again.log, in: 156..<190) == [] && wrong(again.log, in: 0..<155) == [])
    again.log.close()
    let third = try LogOnDisk(in: directory, clock: clock)
    #expect(wrong(third.log, in: 0..<155) + wrong(third.log, in: 156..<190) == [])
    #expect(third.isWhole)
  }

  @Test func `a kill costs the last seconds only`() throws {
    let directory = TemporaryDirectory()
    let clock = ManualClock()
    let disk = try LogOnDisk(in: directory, clock: clock)
    feed(disk, upTo: 95.5)
    disk.storage.abandon()
    let again = try LogOnDisk(in: directory, clock: clock)
    #expect(wrong(again.log, in: 0..<80) == [])
    // What was found is kept by the next start too, which does not read the spans again.
    again.log.close()
    let third = try LogOnDisk(in: directory, clock: clock)
    #expect(wrong(third.log, in: 0..<80) == [])
  }

  @Test func `loudness that left the window is forgotten`() throws {
    let clock = ManualClock()
    let disk = try LogOnDisk(
      LogConfiguration(retention: MediaTime(seconds: 300)), clock: clock)
    feed(disk, upTo: 1500)
    let line = disk.log.loudness.withLock { $0 }
    #expect((0..<1024).allSatisfy { line[$0] == 0 })
    #expect(wrong(disk.log, in: 1200..<1499) == [])
  }

  @Test func `a delayed reader is told no more than it has`() throws {
    let clock = ManualClock()
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    feed(log, upTo: 25, by: clock)
    let told = log.loudness(delay: MediaTime(seconds: 10), at: clock.now)
    #expect((14...16).contains(told.edge.seconds), "\(told.edge.seconds)")
  }

  @Test func `a measured loudness stays as long as its second is in the window`() throws {
    let clock = ManualClock()
    let disk = try LogOnDisk(
      LogConfiguration(retention: MediaTime(seconds: 300)), clock: clock)
    feed(disk, upTo: 1100)
    let oldest = disk.log.oldest.media.second
    disk.log.keep(measured: 40, at: 1090)
    disk.log.keep(measured: 0, at: 1091)
    // Seconds that the log does not have, or has no more.
    for second in [Int64.min, -1, 0, oldest - 1, 1200, .max] {
      disk.log.keep(measured: 90, at: second)
    }
    let told = disk.log.loudness(at: clock.now).measured
    #expect(told.loudest(in: 1090..<1092) == 40 && told.loudest(in: 1091..<1092) == 0)
    #expect(told.loudest(in: 1090..<1093) == nil && told.loudest(in: 1089..<1091) == nil)
    #expect(told.loudest(in: 1090..<Int64.max) == nil && told.loudest(in: 5..<5) == nil)
    #expect((0..<1090).allSatisfy { told.loudest(in: $0..<$0 + 1) == nil })
    feed(disk, upTo: 2400)
    let later = disk.log.loudness(at: clock.now).measured
    #expect(later.loudest(in: 1090..<1091) == nil)
  }

  @Test func `a folder found late brings its loudness along`() throws {
    let clock = ManualClock()
    let directory = TemporaryDirectory()
    let disk = try LogOnDisk(in: directory, clock: clock)
    feed(disk, upTo: 60)
    disk.log.close()
    clock.advance(seconds: 100)
    let storage = Storage()
    let configuration = LogConfiguration(retention: MediaTime(seconds: 3600))
    let log = PacketLog(
      awaiting: storage, configuration, at: clock.now,
      since: StorageError("not there", path: directory.path))
    feed(log, upTo: log.writerMedia.seconds + 5, by: clock)
    #expect(
      try log.adoptFolder(
        directory.path, configuration: configuration, at: clock.now, report: { _ in }))
    let told = log.loudness(at: clock.now)
    let first = told.oldest.nearestSecond
    #expect((first..<first + 60).count { told.line[$0] == Self.loudness(at: $0 - first) } >= 57)
    feed(log, upTo: log.writerMedia.seconds + 65, by: clock) {
      storage.runOnce(at: clock.now.monotonic)
    }
    log.close()
    let again = try LogOnDisk(in: directory, clock: clock)
    let old = again.log.loudness(at: clock.now)
    let begin = old.oldest.nearestSecond
    #expect((begin..<begin + 60).count { old.line[$0] == Self.loudness(at: $0 - begin) } >= 57)
    #expect((begin + 66..<begin + 126).contains { old.line[$0] > 0 })
    storage.abandon()
  }

  @Test func `a record of loudness is read as it was written, and nothing else is believed`() {
    let record = SegmentRecord.loudness(media: MediaTime(second: 77), seconds: [0, 1, 255])
    func read(_ bytes: [UInt8]) -> SegmentRecord? {
      bytes.withUnsafeBytes { bytes in
        var reader = ByteReader(bytes)
        return SegmentRecord.read(&reader, seed: 9)
      }
    }
    let bytes = record.encode(seed: 9)
    #expect(read(bytes) == record)
    for count in 0..<bytes.count { #expect(read(Array(bytes.prefix(count))) == nil) }
    let far = SegmentRecord.loudness(media: MediaTime(stored: .max), seconds: [1])
    #expect(read(far.encode(seed: 9)) == .unknown)
    let before = SegmentRecord.loudness(media: MediaTime(stored: -1), seconds: [1])
    #expect(read(before.encode(seed: 9)) == .unknown)
  }

  @Test func `seconds that are not the log's are not believed`() throws {
    let directory = TemporaryDirectory()
    let clock = ManualClock()
    let disk = try LogOnDisk(in: directory, clock: clock)
    feed(disk, upTo: 20)
    disk.storage.abandon()
    let name = try #require(directory.names.first { $0.hasSuffix(".idx") })
    var index = directory.read(name)
    let scan = try #require(SegmentScan(index))
    let wild = SegmentRecord.loudness(
      media: MediaTime(second: 1_000_000), seconds: [UInt8](repeating: 9, count: 60_000))
    // In front of the first span, as if it had been written there.
    index.insert(contentsOf: wild.encode(seed: scan.seed), at: SegmentFormat.headerBytes)
    directory.write(name, index)
    let again = try LogOnDisk(in: directory, clock: clock)
    let line = again.log.loudness.withLock { $0 }
    #expect(line.loudest(in: 1000..<2_000_000) == 0)
    #expect(wrong(again.log, in: 0..<10) == [] && again.log.edge.media.seconds > 19)
  }
}

extension LogOnDisk {
  /// Whether all of the log can be read.
  fileprivate var isWhole: Bool {
    let reader = LogReader(log)
    return collect(reader.oldest.position..<reader.edge.position) != nil
  }
}
