import Glibc
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Timeshift

@Suite struct SegmentTests {
  @Test func `audio that left the memory is read back from segments, byte for byte`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 150)
    let reader = LogReader(disk.log)
    #expect(reader.oldest.position == 0)
    #expect(reader.memoryOldest > 100 * 16000)
    #expect(disk.isWholeAndKnown)
    #expect(disk.events.isEmpty)
    let snapshot = disk.log.snapshot()
    #expect(snapshot.segments == 3)
    #expect(snapshot.storage == .healthy)
    #expect(snapshot.bytesOnDisk > 2_390_000 && snapshot.bytesOnDisk < 2_450_000)
    #expect(abs(snapshot.bitrate - 127.7) < 0.5)
  }

  @Test func `stored bit rates tell the average and the fullest minute`() throws {
    let disk = try LogOnDisk()
    #expect(disk.log.storedBitrates == nil)
    let writer = disk.log.onlyWriter()
    let format = AudioFormat(codec: .mp3, sampleRate: 48_000, channels: 2)
    for (bytes, seconds) in [(100, 120), (400, 120)] {
      for _ in 0..<seconds {
        for _ in 0..<50 {
          writer.append(
            TestPacket.at(writer.edge.position, bytes: bytes).span, samples: 960, format: format)
        }
        disk.clock.advance(seconds: 1)
        writer.publish(at: disk.clock.now)
        disk.turn()
      }
    }
    writer.end()
    let rates = try #require(disk.log.storedBitrates)
    #expect(abs(rates.most - 160) < 2 && (95...105).contains(rates.average), "\(rates)")
  }

  @Test func `a segment is a plain audio file of about a minute, and holds nothing else`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 130)
    let names = disk.directory.names.filter { $0.hasSuffix(".mp3") }
    #expect(names.count == 3)
    for name in names.dropLast() {
      let bytes = disk.directory.read(name)
      let seconds = Double(bytes.count / 417) * TestPacket.duration.seconds
      #expect(abs(seconds - 60) < 0.06)
      #expect(areKnown(bytes, from: SegmentFormat.parse(name: name)!.position))
    }
    #expect(disk.directory.names.contains("log.id"))
  }

  @Test func `times and packets are found in segments as exactly as in memory`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 150)
    let reader = LogReader(disk.log)
    for step in stride(from: 0.0, to: 149, by: 7.3) {
      let media = MediaTime(seconds: step)
      let number = Int64(media.flicks / TestPacket.duration.flicks)
      let exact = LogPoint(
        position: UInt64(number) * 417,
        media: MediaTime(flicks: number * TestPacket.duration.flicks))
      #expect(reader.wait(disk.turn) { $0.point(atOrBefore: media) } == exact)
      #expect(reader.wait(disk.turn) { $0.media(at: exact.position + 3) } == exact.media)
      #expect(
        reader.wait(disk.turn) { $0.packetEnd(after: exact.position + 3) } == exact.position + 417)
      let span = reader.wait(disk.turn) { $0.spanPoint(atOrBefore: media) }
      #expect(span.map { $0.media <= media && (media - $0.media).seconds <= 0.5 } == true)
      #expect(span.map { $0.position % 417 == 0 } == true)
    }
    let lead = reader.wait(disk.turn) { $0.packets(before: 60 * 417, count: 3) }
    #expect(lead == [57, 58, 59].map { TestPacket.at($0 * 417) })
  }

  @Test func `a read that needs the disk answers loading and does not wait`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 100)
    let reader = LogReader(disk.log)
    #expect(reader.answer(0) == "loading")
    #expect(reader.point(atOrBefore: MediaTime(seconds: 1)) == nil)
    disk.turn()
    #expect(reader.answer(0) == "bytes 4096")
    disk.disk.set { $0.isCold = true }
    #expect(reader.answer(5000) == "loading")
    disk.turn()
    #expect(reader.answer(5000) == "bytes 4096")
  }

  @Test func `a file system without RWF_NOWAIT is read plainly`() throws {
    let disk = try LogOnDisk()
    disk.disk.set { $0.hasReadNow = false }
    disk.feed(seconds: 100)
    #expect(disk.isWholeAndKnown)
  }

  @Test func `handles stay few however many segments are read`() throws {
    var configuration = LogConfiguration(retention: MediaTime(seconds: 86400))
    configuration.segment = MediaTime(seconds: 5)
    let disk = try LogOnDisk(configuration, handlesMax: 3)
    disk.feed(seconds: 100)
    let before = openDescriptors(below: disk.directory.path)
    let reader = LogReader(disk.log)
    for round in 0..<3 {
      for second in stride(from: 1.0, to: 60, by: 5) {
        let media = MediaTime(seconds: second + Double(round))
        #expect(reader.wait(disk.turn) { $0.point(atOrBefore: media) } != nil)
      }
    }
    reader.refresh()
    #expect(openDescriptors(below: disk.directory.path) <= before + 3)
    #expect(disk.isWholeAndKnown)
  }

  @Test func `a log that is closed keeps none of its segments open`() throws {
    var configuration = LogConfiguration(retention: MediaTime(seconds: 86400))
    configuration.segment = MediaTime(seconds: 10)
    let disk = try LogOnDisk(configuration)
    disk.feed(seconds: 100)
    let start = try #require(disk.log.lists.withLock { $0.segments.first?.start.position })
    #expect(disk.collect(start..<start + 400_000) != nil)
    #expect(disk.storage.loader.openCount > 1)
    disk.log.close()
    #expect(disk.storage.loader.openCount == 0)
    #expect(openDescriptors(below: disk.directory.path) <= 2)
  }

  @Test func `listeners in more segments than there are handles all go on`() throws {
    var configuration = LogConfiguration(retention: MediaTime(seconds: 86400))
    configuration.segment = MediaTime(seconds: 10)
    let disk = try LogOnDisk(configuration, handlesMax: 4)
    disk.feed(seconds: 200)
    let starts = disk.log.lists.withLock { $0.segments.map(\.start.position) }
    let readers = starts.prefix(12).map { PastReader(disk.log, at: $0) }
    #expect(readers.count == 12 && starts[11] < LogReader(disk.log).memoryOldest)
    // Two of them are opened in a turn of the disk's, so that each comes round every six.
    for _ in 0..<60 {
      for reader in readers { reader.turn() }
      disk.turn()
    }
    #expect(readers.allSatisfy { $0.fed >= 5 && $0.isKnown }, "\(readers.map(\.fed))")
    #expect(openDescriptors(below: disk.directory.path) <= 2 + 2 * (4 + 12))
  }

  @Test func `retention by time drops whole segments, and only when something is appended`() throws
  {
    let disk = try LogOnDisk(LogConfiguration(retention: MediaTime(seconds: 120)))
    disk.feed(seconds: 400)
    let oldest = disk.log.oldest
    let kept = (disk.log.edge.media - oldest.media).seconds
    #expect(kept >= 119 && kept < 185)
    disk.clock.advance(seconds: 100_000)
    disk.turn()
    #expect(disk.log.oldest == oldest)
    let names = disk.directory.names.filter { $0.hasSuffix(".mp3") }
    #expect(names.count <= 4, "files go with their segments")
    let reader = LogReader(disk.log)
    #expect(reader.answer(0) == "overrun \(oldest.position)")
    #expect(disk.isWholeAndKnown)
  }

  @Test func `a log told to keep less gives its oldest up with the next packet`() throws {
    let disk = try LogOnDisk(LogConfiguration(retention: MediaTime(seconds: 86400)))
    disk.feed(seconds: 600)
    let before = disk.log.snapshot().bytesOnDisk
    disk.log.retain(MediaTime(seconds: 86400), bytes: before / 2)
    #expect(disk.log.oldest == .zero)
    disk.feed(seconds: 1)
    #expect(disk.log.oldest.position > 0)
    #expect(disk.log.snapshot().bytesOnDisk <= before / 2)
    disk.log.retain(MediaTime(seconds: 60), bytes: .max)
    disk.feed(seconds: 1)
    #expect((disk.log.edge.media - disk.log.oldest.media).seconds < 121)
  }

  @Test func `retention by bytes holds too`() throws {
    let disk = try LogOnDisk(
      LogConfiguration(retention: MediaTime(seconds: 86400), retentionBytes: 3_000_000))
    disk.feed(seconds: 400)
    #expect(disk.log.snapshot().bytesOnDisk <= 3_000_000)
    #expect(disk.log.snapshot().bytesOnDisk > 1_900_000)
    #expect(disk.isWholeAndKnown)
  }

  @Test func `a change of format starts a segment of its own kind`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 3)
    let change = disk.log.edge.position
    let aac = AudioFormat(codec: .aac, sampleRate: 48000, channels: 2)
    for _ in 0..<20 {
      disk.log.append([UInt8](repeating: 9, count: 300).span, samples: 1024, format: aac)
    }
    disk.log.publish(at: disk.clock.now)
    disk.turn()
    #expect(disk.directory.names.contains("\(SegmentFormat.name(change)).aac"))
    disk.log.close()
    let again = try LogOnDisk(in: disk.directory)
    let reader = LogReader(again.log)
    #expect(reader.formatPosition(at: change) == change)
    #expect(reader.nextFormatPosition(after: 0) == change)
    #expect(reader.format == aac)
  }

  @Test func `audio that memory cannot hold until the disk has it is a hole, told and counted`()
    throws
  {
    let disk = try LogOnDisk()
    disk.feed(seconds: 10)
    let written = disk.log.edge.position
    disk.disk.set { $0.writeError = EIO }
    disk.feed(seconds: 60)
    disk.disk.set { $0.writeError = nil }
    disk.feed(seconds: 60)
    let reader = LogReader(disk.log)
    guard case .failed = disk.events.first else {
      Issue.record("the failure was not told: \(disk.events)")
      return
    }
    #expect(disk.events.contains(.holeOpened(position: written)))
    #expect(disk.events.last == .restored)
    #expect(disk.log.snapshot().holes == 1)
    #expect(disk.log.snapshot().storage == .healthy)
    let before = reader.collect(0..<written) { disk.turn() }
    #expect(before.map { areKnown($0, from: 0) } == true)
    let answer = reader.answer(written)
    #expect(answer.hasPrefix("hole "))
    let next = UInt64(answer.dropFirst(5))!
    #expect(next > written && next % 417 == 0)
    let after = reader.collect(next..<reader.edge.position) { disk.turn() }
    #expect(after.map { areKnown($0, from: next) } == true)
    #expect(reader.media(at: written) != nil)
  }

  @Test func `a burst larger than the window waits for the disk`() throws {
    let disk = try LogOnDisk()
    for _ in 0..<23 { disk.log.feed(100, at: disk.clock.now) }
    disk.turn()
    #expect(disk.log.snapshot().holes == 0)
    #expect(disk.isWholeAndKnown)
  }

  @Test func `readers beside a running storage read everything back`() throws {
    let directory = TemporaryDirectory()
    let clock = ManualClock()
    let storage = Storage(handlesMax: 2, flushInterval: 0.005)
    var configuration = LogConfiguration(retention: MediaTime(seconds: 86400))
    configuration.segment = MediaTime(seconds: 4)
    let log = try PacketLog.open(
      directory: directory.path, configuration: configuration, storage: storage, at: clock.now,
      report: { _ in })
    storage.start()
    let faults = sumInThreads(2, { _ in readAll(log, packets: 3000) }) {
      for _ in 0..<300 {
        log.feed(10, at: clock.now)
        usleep(1000)
      }
    }
    storage.stop()
    log.close()
    #expect(faults == 0)
    #expect(log.snapshot().holes == 0)
  }
}

/// Follows from position 0 to the end; returns how much was wrong.
private func readAll(_ log: PacketLog, packets: Int) -> Int {
  let reader = LogReader(log)
  var position: UInt64 = 0
  var faults = 0
  withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 16) { scratch in
    while position < packets * 417 {
      reader.refresh()
      switch reader.read(at: position, upTo: .max, limit: 8192, scratch: scratch) {
      case .bytes(let bytes):
        if !areKnown(Array(bytes), from: position) { faults += 1 }
        position += UInt64(bytes.count)
      case .liveEdge, .loading: usleep(500)
      case .hole(let next), .overrun(let next):
        faults += 1
        position = next.position
      }
    }
  }
  return faults
}
