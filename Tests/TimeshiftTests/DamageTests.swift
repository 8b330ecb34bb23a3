import CLinux
import Glibc
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Timeshift

/// Audio on the disk that is no longer what was written: it is left out, and what is whole beside it is heard.
@Suite struct DamageTests {
  private static let hour = LogConfiguration(retention: MediaTime(seconds: 3600))

  /// 200 s in segments of a minute, of which the newest 32 s are in memory; the sealed segments' names without ending.
  private func past(
    _ configuration: LogConfiguration = hour, handlesMax: Int = 256
  ) throws -> (disk: LogOnDisk, sealed: [String]) {
    let disk = try LogOnDisk(configuration, handlesMax: handlesMax)
    disk.feed(seconds: 200)
    let names = disk.directory.names.filter { $0.hasSuffix(".idx") }.map { String($0.dropLast(4)) }
    try #require(names.count == 4)
    return (disk, Array(names.dropLast()))
  }

  /// What a reader gets from the oldest packet to the edge: pieces that touch are one.
  private func heard(_ disk: LogOnDisk) -> [(start: UInt64, bytes: [UInt8])] {
    let reader = LogReader(disk.log)
    var pieces: [(start: UInt64, bytes: [UInt8])] = []
    var (place, waits, joins) = (reader.oldest.position, 0, false)
    withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 16) { scratch in
      while place < reader.edge.position, waits < 1000 {
        switch reader.read(at: place, upTo: .max, limit: 16384, scratch: scratch) {
        case .bytes(let found):
          if !joins { pieces.append((place, [])) }
          pieces[pieces.count - 1].bytes += found
          place += UInt64(found.count)
          joins = true
        case .loading:
          waits += 1
          disk.turn()
          reader.refresh()
        case .hole(let next):
          place = next.position
          joins = false
        case .liveEdge, .overrun: return
        }
      }
    }
    return pieces
  }

  private func flip(_ name: String, at offset: Int, in disk: LogOnDisk) {
    var bytes = disk.directory.read(name)
    bytes[offset] ^= 0x10
    disk.directory.write(name, bytes)
  }

  @Test func `a flipped bit is never heard, and what is lost for it is a second at most`() throws {
    let (disk, sealed) = try past()
    let place = 20 * 16_000 + 7
    flip("\(sealed[1]).mp3", at: place, in: disk)
    let damaged = try #require(UInt64(sealed[1])) + UInt64(place)
    let pieces = heard(disk)
    try #require(pieces.count == 2)
    #expect(pieces.allSatisfy { areKnown($0.bytes, from: $0.start) })
    let before = pieces[0].start + UInt64(pieces[0].bytes.count)
    #expect(before <= damaged && pieces[1].start > damaged)
    #expect(pieces[1].start - before <= 16_700)
    // The edge of a hole is an edge of packets.
    #expect(before % UInt64(TestPacket.bytes) == 0)
    #expect(pieces[1].start % UInt64(TestPacket.bytes) == 0)
  }

  @Test func `a clip from in front of damage ends there, and one from inside begins behind it`()
    throws
  {
    let (disk, sealed) = try past()
    let place = 20 * 16_000
    flip("\(sealed[1]).mp3", at: place, in: disk)
    let damaged = try #require(UInt64(sealed[1])) + UInt64(place)
    let reader = LogReader(disk.log)
    let at = try #require(reader.wait(disk.turn) { $0.point(holding: damaged) })
    let answer = try #require(
      reader.wait(disk.turn) { reader -> ClipAnswer? in
        let answer = reader.clip(from: at, to: reader.edge)
        if case .loading = answer { return nil }
        return answer
      })
    guard case .clip(let clip) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(clip.start.position > damaged && clip.start.position < damaged + 16_700)
  }

  @Test func `damage is told once of a segment`() throws {
    let (disk, sealed) = try past()
    for place in [10, 20, 30] { flip("\(sealed[1]).mp3", at: place * 16_000, in: disk) }
    _ = heard(disk)
    _ = heard(disk)
    let told = disk.events.compactMap { event -> String? in
      if case .damaged(_, let file, _) = event { return file }
      return nil
    }
    #expect(told == ["\(disk.directory.path)/\(sealed[1]).mp3"])
    #expect(disk.log.snapshot().segmentsDamaged == 1)
  }

  @Test(arguments: [false, true])
  func `a shortened segment plays what it still has, and the rest is left out`(isOpen: Bool) throws
  {
    let (disk, sealed) = try past()
    if isOpen { _ = heard(disk) }
    let name = "\(sealed[1]).mp3"
    disk.directory.write(name, Array(disk.directory.read(name).prefix(300_000)))
    let pieces = heard(disk)
    try #require(pieces.count == 2)
    #expect(pieces.allSatisfy { areKnown($0.bytes, from: $0.start) })
    #expect(pieces[1].start == UInt64(sealed[2]))
    let lost = UInt64(sealed[1])! + 300_000 - (pieces[0].start + UInt64(pieces[0].bytes.count))
    #expect(lost <= 16_700)
    if !isOpen { #expect(disk.log.snapshot().segmentsDamaged == 1) }
  }

  @Test func `a moment in which the disk gives nothing costs that moment alone`() throws {
    let disk = try LogOnDisk(Self.hour, readRetryInterval: 0)
    disk.feed(seconds: 200)
    let reader = LogReader(disk.log)
    let start = reader.oldest.position
    _ = reader.wait(disk.turn) { $0.point(holding: start + 500_000) }
    disk.disk.set { $0.readError = EIO }
    #expect(reader.collect(start + 500_000..<start + 700_000) { disk.turn() } == nil)
    disk.disk.set { $0.readError = nil }
    #expect(disk.isWholeAndKnown)
  }

  @Test
  func `a read that fails once is no damage, and is told when it fails again`() throws {
    let disk = try LogOnDisk(Self.hour, readRetryInterval: 0)
    disk.feed(seconds: 200)
    let reader = LogReader(disk.log)
    let start = reader.oldest.position
    _ = reader.wait(disk.turn) { $0.point(holding: start + 500_000) }
    func told() -> Int {
      disk.events.count { if case .damaged = $0 { true } else { false } }
    }
    func look() {
      disk.disk.set { ($0.readError, $0.isCold) = (EIO, true) }
      reader.refresh()
      _ = reader.answer(start + 500_000)
      disk.turn()
    }
    look()
    #expect(told() == 0)
    disk.disk.set { ($0.readError, $0.isCold) = (nil, false) }
    #expect(disk.isWholeAndKnown && told() == 0)
    for _ in 0..<20 where told() == 0 { look() }
    #expect(told() == 1)
  }

  @Test func `segments that cannot be opened take no place from those that can`() throws {
    let (disk, sealed) = try past(handlesMax: 1)
    disk.disk.set { $0.openErrors = ["\(sealed[1]).idx": EIO, "\(sealed[2]).idx": EIO] }
    let reader = LogReader(disk.log)
    let place = reader.oldest.position + 1000
    #expect(reader.wait(disk.turn) { $0.media(at: place) } != nil)
    for start in sealed[1...] {
      #expect(reader.wait(disk.turn) { $0.media(at: UInt64(start)! + 1000) } != nil)
    }
    reader.refresh()
    #expect(reader.media(at: place) != nil)
  }

  @Test func `a minute that the disk does not give is passed over in a few reads`() throws {
    let (disk, sealed) = try past()
    #expect(heard(disk).count == 1)
    let place = UInt64(sealed[1])!
    let reader = LogReader(disk.log)
    #expect(reader.wait(disk.turn) { $0.media(at: place + 1000) } != nil)
    disk.disk.set { $0.readError = EIO }
    var turns = 0
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { scratch in
      while turns < 100 {
        reader.refresh()
        let answer = reader.read(at: place, upTo: .max, limit: 4096, scratch: scratch)
        if case .hole(let next) = answer, next.position >= UInt64(sealed[2])! { return }
        // Whoever steps over a hole looks at what comes behind it.
        if case .hole(let next) = answer {
          _ = reader.read(at: next.position, upTo: .max, limit: 4096, scratch: scratch)
        }
        turns += 1
        disk.disk.set { $0.isCold = true }
        disk.turn()
      }
    }
    #expect(turns < 20)
  }

  @Test func `a segment whose index cannot be made leaves no audio behind`() throws {
    let disk = try LogOnDisk(Self.hour)
    disk.feed(seconds: 30)
    disk.disk.set { $0.openErrors = [".idx": EIO] }
    disk.feed(seconds: 90)
    disk.disk.set { $0.openErrors = [:] }
    let names = disk.directory.names
    #expect(names.filter { $0.hasSuffix(".mp3") && !names.contains("\($0.dropLast(4)).idx") } == [])
  }

  @Test func `audio fetched from the disk again is checked again`() throws {
    let (disk, sealed) = try past()
    #expect(heard(disk).count == 1)
    flip("\(sealed[0]).mp3", at: 100_000, in: disk)
    disk.disk.set { $0.isCold = true }
    let pieces = heard(disk)
    #expect(pieces.count == 2 && pieces.allSatisfy { areKnown($0.bytes, from: $0.start) })
  }

  @Test func `a segment that was found whole is not read again when it is opened again`() throws {
    let (disk, _) = try past(handlesMax: 1)
    #expect(heard(disk).count == 1)
    let clip = disk.log.oldest.position + 1000
    // Nothing is there but by being fetched, and the disk gives nothing for it: what is in the page cache is enough.
    let reader = LogReader(disk.log)
    #expect(reader.wait(disk.turn) { $0.media(at: clip) } != nil)
    let answer = reader.collect(clip..<clip + 500_000)
    #expect(answer.map { areKnown($0, from: clip) } == true)
  }

  @Test func `a reader that opened a segment early does not hear damage found later`() throws {
    let disk = try LogOnDisk(Self.hour)
    disk.feed(seconds: 175)
    let start = try #require(disk.log.lists.withLock { $0.active?.start.position })
    let early = LogReader(disk.log)
    #expect(early.collect(start + 80_000..<start + 81_000) { disk.turn() } != nil)
    disk.feed(seconds: 60)
    // What came since is in no index that is open yet.
    let late = start + 57 * 16_000
    #expect(disk.collect(late..<late + 1000) != nil)
    flip("\(SegmentFormat.name(start)).mp3", at: 100_000, in: disk)
    disk.storage.scrubOnce(at: MonotonicTime(nanoseconds: .max)) { _ in true }
    early.refresh()
    let isHole = early.wait(disk.turn) { reader -> Bool? in
      withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { scratch in
        switch reader.read(at: start + 100_000, upTo: .max, limit: 4096, scratch: scratch) {
        case .hole: true
        case .loading: nil
        case .bytes, .liveEdge, .overrun: false
        }
      }
    }
    #expect(isHole == true)
  }

  // MARK: The scrubber

  @Test func `the scrubber finds damage before anybody comes to it, at its pace`() throws {
    let (disk, sealed) = try past()
    flip("\(sealed[0]).mp3", at: 100_000, in: disk)
    disk.log.close()
    let again = try LogOnDisk(Self.hour, in: disk.directory, clock: disk.clock)
    var (rested, calls) = (0, 0)
    again.storage.scrubOnce(at: again.clock.now.monotonic) { bytes in
      (rested, calls) = (rested + bytes, calls + 1)
      return true
    }
    let bytes = again.log.snapshot().bytesOnDisk
    #expect(UInt64(rested) >= bytes * 9 / 10 && UInt64(rested) <= bytes)
    #expect(rested / calls <= SegmentCheck.bufferBytes)
    #expect(again.log.snapshot().segmentsDamaged == 1)
    // A clip knows of it as well.
    let reader = LogReader(again.log)
    let oldest = reader.oldest
    let clip = reader.wait(again.turn) { reader -> Clip? in
      if case .clip(let clip) = reader.clip(from: oldest, to: reader.edge) { return clip }
      return nil
    }
    let end = try #require(clip?.end.position)
    #expect(end <= 100_000 && end > 80_000)
    #expect(heard(again).count == 2)
  }

  @Test func `the scrubber reads each segment once a day, and first when it is an hour old`() throws
  {
    let (disk, _) = try past()
    func scrub(afterSeconds seconds: Double) -> Int {
      var bytes = 0
      let now = MonotonicTime.now().adding(nanoseconds: Int64(nanosecondsIn: seconds))
      disk.storage.scrubOnce(at: now) {
        bytes += $0; return true
      }
      return bytes
    }
    #expect(scrub(afterSeconds: 0) == 0)
    #expect(scrub(afterSeconds: 3700) > 2_500_000)
    #expect(scrub(afterSeconds: 3800) == 0)
    #expect(scrub(afterSeconds: 86_400) == 0)
    #expect(scrub(afterSeconds: 3700 + 86_400) > 2_500_000)
  }

  @Test func `a scrubber that is to stop does so between two pieces`() throws {
    let (disk, _) = try past()
    var calls = 0
    disk.storage.scrubOnce(at: MonotonicTime(nanoseconds: .max)) { _ in
      calls += 1
      return calls < 3
    }
    #expect(calls == 3)
  }

  @Test func `the scrubber leaves the page cache as it was`() throws {
    let directory = TemporaryDirectory()
    let files = FileCalls.posix
    directory.write("audio", (0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
    let file = try LogFile("\(directory.path)/audio", O_RDWR, files)
    try file.sync()
    func drop() { posix_fadvise(file.descriptor, 0, 0, Int32(POSIX_FADV_DONTNEED)) }
    func isCached(_ offset: Int) -> Bool {
      withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { byte in
        linux_pread_nowait(file.descriptor, byte.baseAddress, 1, Int64(offset)) == 1
      }
    }
    posix_fadvise(file.descriptor, 0, 0, Int32(POSIX_FADV_RANDOM))
    drop()
    // A file system in memory keeps everything.
    guard !isCached(100_000) else { return }
    func leavesAsItWas() throws -> Bool {
      usleep(200_000)
      drop()
      _ = try file.read(1, at: 200_000)
      try withUnsafeTemporaryAllocation(byteCount: 131_072, alignment: 16) { buffer in
        for offset in stride(from: UInt64(0), to: 300_000, by: 131_072) {
          try #require(files.readBeside(file.descriptor, buffer, offset) > 30_000)
          #expect(buffer[5] == UInt8(truncatingIfNeeded: offset + 5))
        }
      }
      let read = [8192, 131_072 + 8192, 290_000]
      return isCached(200_000) && !read.contains(where: isCached)
    }
    // A page that the kernel is just looking at cannot be dropped.
    #expect(try (0..<10).contains { _ in try leavesAsItWas() })
  }
}
