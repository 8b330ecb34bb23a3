import Glibc
import TestSupport
import Testing
import Wire

@testable import Timeshift

@Suite struct StorageFailureTests {
  @Test func `a full disk takes the oldest segments first, one at a time`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 200)
    #expect(disk.log.snapshot().segments == 4)
    disk.disk.set {
      $0.room = 100_000
      $0.roomPerRemoval = 480_000
    }
    disk.feed(seconds: 30)
    #expect(disk.log.oldest.position > 0)
    #expect(disk.log.snapshot().segments >= 3)
    // There was still something to give up: it has not failed.
    #expect(disk.events == [.gaveUp(MediaTime(flicks: 42_338_304_000))])
    #expect(disk.isWholeAndKnown)
  }

  @Test
  func `a full disk that nothing relieves takes a segment now and then, and never the newest`()
    throws
  {
    let disk = try LogOnDisk()
    disk.feed(seconds: 1200)
    let oldest = { disk.log.oldest.media.seconds }
    // Whatever is given up, another program takes.
    disk.disk.set { $0.room = 0 }
    disk.feed(seconds: 1)
    #expect(oldest() <= 61)
    disk.feed(seconds: 25)
    #expect(oldest() <= 241)
    disk.feed(seconds: 1200)
    #expect(oldest() <= 660 && oldest() >= 540, "\(oldest())")
    // It has room again, and its own bytes are its own again.
    disk.disk.set { $0.room = nil }
    disk.feed(seconds: 60)
    disk.disk.set {
      $0.room = 100_000
      $0.roomPerRemoval = 480_000
    }
    disk.feed(seconds: 1000)
    #expect(disk.log.snapshot().storage == .healthy)
    disk.disk.set { $0.room = nil }
    #expect(
      oldest() > 660 && disk.collect(disk.log.oldest.position..<disk.log.oldest.position) != nil)
  }

  @Test(arguments: [120.0, 900])
  func `a full disk keeps as much past as is asked for, now and from now on`(
    seconds: Double
  ) throws {
    var configuration = LogConfiguration(retention: MediaTime(seconds: 86400))
    configuration.reserve = MediaTime(seconds: seconds)
    let disk = try LogOnDisk(configuration)
    disk.feed(seconds: 1200)
    disk.disk.set { $0.room = 0 }
    disk.feed(seconds: 300)
    let kept = 1200 - disk.log.oldest.media.seconds
    #expect(kept > seconds - 1 && kept < seconds + 62, "\(kept)")
    disk.log.retain(MediaTime(seconds: 86400), bytes: .max, reserve: MediaTime(seconds: 60))
    disk.feed(seconds: 300)
    #expect(1200 - disk.log.oldest.media.seconds < kept)
  }

  @Test func `a second without room costs a minute of the past, and not all of it`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 1200)
    disk.disk.set { $0.room = 0 }
    disk.feed(seconds: 1)
    disk.disk.set { $0.room = nil }
    disk.feed(seconds: 30)
    #expect(disk.log.snapshot().storage == .healthy)
    #expect(disk.log.oldest.media.seconds <= 61 && disk.isWholeAndKnown)
  }

  @Test func `a burst waits for a disk that is behind, not for one that has failed`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 20)
    #expect(!disk.log.isWaitingForDisk)
    // More than the window in memory, without a turn of the storage.
    disk.log.feed(seconds: 40, by: disk.clock)
    #expect(disk.log.isWaitingForDisk)
    disk.turn()
    #expect(!disk.log.isWaitingForDisk)
    disk.disk.set { $0.room = 1000 }
    disk.feed(seconds: 4)
    disk.log.feed(seconds: 40, by: disk.clock)
    #expect(!disk.log.isWaitingForDisk, "nothing waits for a disk that has failed")
  }

  @Test func `a disk that stays full leaves the log in memory until it has room`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 20)
    disk.disk.set { $0.room = 1000 }
    disk.feed(seconds: 4)
    guard case .failed(let reason) = disk.log.snapshot().storage else {
      Issue.record("the disk is full and nobody says so")
      return
    }
    #expect(reason.contains("No space left on device"))
    #expect(disk.events == [.failed(reason)])
    let reader = LogReader(disk.log)
    #expect(reader.collect(reader.memoryOldest..<reader.edge.position) != nil)
    disk.disk.set { $0.room = nil }
    disk.feed(seconds: 5)
    #expect(disk.events == [.failed(reason)], "it is tried again after ten seconds only")
    disk.feed(seconds: 12)
    #expect(disk.events == [.failed(reason), .restored])
    // Ten seconds are still in memory: nothing is missing.
    #expect(disk.log.snapshot().holes == 0)
    #expect(disk.isWholeAndKnown)
    disk.log.close()
    #expect(try LogOnDisk(in: disk.directory).isWholeAndKnown)
  }

  @Test func `files are cut back to a whole packet when the disk fills inside one`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 20)
    disk.disk.set { $0.room = 1000 }
    disk.feed(seconds: 2)
    let name = disk.directory.names.first { $0.hasSuffix(".mp3") }!
    let audio = disk.directory.read(name)
    #expect(audio.count % 417 == 0)
    #expect(areKnown(audio, from: 0))
    let index = disk.directory.read("\(SegmentFormat.name(0)).idx")
    let scan = SegmentScan(index)
    #expect(scan?.end.position == UInt64(audio.count))
    #expect(scan?.length == index.count)
  }

  @Test(arguments: [1, 7, 100, 416])
  func `writes that take only some bytes are finished`(bytes: Int) throws {
    let disk = try LogOnDisk()
    disk.disk.set { $0.writeMax = bytes }
    disk.feed(seconds: 40)
    #expect(disk.isWholeAndKnown)
    disk.log.close()
    #expect(try LogOnDisk(in: disk.directory).log.edge == disk.log.edge)
  }

  @Test func `a sync that fails is told, and the log goes on in a new file`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 3)
    disk.disk.set { $0.syncError = EIO }
    disk.feed(seconds: 6)
    guard case .failed = disk.events.first else {
      Issue.record("a failed sync was not told")
      return
    }
    disk.disk.set { $0.syncError = nil }
    disk.feed(seconds: 30)
    #expect(disk.events.last == .restored)
    #expect(disk.log.snapshot().segments == 2)
    #expect(disk.isWholeAndKnown)
  }

  @Test func `a segment that cannot be read is a hole up to the next one`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 150)
    let reader = LogReader(disk.log)
    let second = disk.directory.names.compactMap { SegmentFormat.parse(name: $0)?.position }
      .first { $0 > 0 }!
    #expect(reader.wait(disk.turn) { $0.media(at: 10_000) } != nil)
    disk.disk.set { $0.readError = EIO }
    #expect(reader.answer(10_000) == "hole \(second)")
  }

  @Test func `an error of the disk that passes is no damage that stays`() throws {
    let disk = try LogOnDisk(readRetryInterval: 0)
    disk.feed(seconds: 150)
    let reader = LogReader(disk.log)
    disk.disk.set { $0.readError = EIO }
    #expect(reader.answer(10_000) == "loading")
    for _ in 0..<3 {
      disk.turn()
      reader.refresh()
      #expect(!reader.answer(10_000).hasPrefix("bytes"))
    }
    disk.disk.set { $0.readError = nil }
    #expect(disk.isWholeAndKnown)
    let bytes = reader.collect(0..<reader.edge.position) { disk.turn() }
    #expect(bytes.map { areKnown($0, from: 0) } == true, "a reader that has seen the error")
  }

  @Test func `a segment whose files are gone is a hole`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 150)
    unlink("\(disk.directory.path)/\(SegmentFormat.name(0)).idx")
    let reader = LogReader(disk.log)
    #expect(reader.answer(10_000) == "loading")
    disk.turn()
    reader.refresh()
    #expect(reader.answer(10_000).hasPrefix("hole "))
  }

  @Test func `random trouble never lets a reader see a wrong byte`() throws {
    for seed in 1...6 as ClosedRange<UInt64> {
      var random = SplitMix(seed: seed)
      var configuration = LogConfiguration(retention: MediaTime(seconds: 100))
      configuration.segment = MediaTime(seconds: 10)
      let disk = try LogOnDisk(configuration)
      // One that hears all as it comes, whatever the disk does.
      let live = LogReader(disk.log)
      var heard: UInt64 = 0
      for _ in 0..<40 {
        disk.disk.set { plan in
          plan = FailingFiles.Plan()
          switch Int.random(in: 0..<6, using: &random) {
          case 0: plan.room = Int.random(in: 0..<40_000, using: &random)
          case 1: plan.writeError = EIO
          case 2: plan.syncError = EIO
          case 3: plan.writeMax = Int.random(in: 1..<2000, using: &random)
          default: break
          }
        }
        disk.feed(seconds: Double.random(in: 0.3..<6, using: &random))
        live.refresh()
        let edge = live.edge.position
        let new = live.collect(heard..<edge)
        #expect(new.map { areKnown($0, from: heard) } == true, "seed \(seed)")
        heard = edge
      }
      disk.disk.set { $0 = FailingFiles.Plan() }
      #expect(readable(disk).wrong == 0, "seed \(seed)")
      disk.log.close()
      let again = try LogOnDisk(configuration, in: disk.directory)
      let found = readable(again)
      #expect(found.wrong == 0, "seed \(seed)")
      #expect(found.bytes > 0, "seed \(seed)")
      #expect(again.log.edge == disk.log.edge, "seed \(seed)")
    }
  }

  /// Reads all there is, stepping over holes. What is never read and is no hole either is wrong.
  private func readable(_ disk: LogOnDisk) -> (bytes: Int, wrong: Int) {
    let reader = LogReader(disk.log)
    var waits = 0
    var position = reader.oldest.position
    var count = 0
    var wrong = 0
    withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 16) { scratch in
      while true {
        switch reader.read(at: position, upTo: .max, limit: 16384, scratch: scratch) {
        case .bytes(let bytes):
          if !areKnown(Array(bytes), from: position) { wrong += 1 }
          waits = 0
          count += bytes.count
          position += UInt64(bytes.count)
        case .loading:
          waits += 1
          guard waits < 100 else {
            wrong += 1
            return
          }
          disk.turn()
          reader.refresh()
        case .hole(let next), .overrun(let next):
          if next.position <= position || next.position % 417 != 0 { wrong += 1 }
          position = max(next.position, position + 1)
        case .liveEdge: return
        }
      }
    }
    return (count, wrong)
  }

  @Test func `an upstream of other audio with each packet costs a hole, and no more`() throws {
    let disk = try LogOnDisk()
    disk.log.feed(100, at: disk.clock.now)
    disk.turn()
    let written = disk.log.snapshot().edge.position
    // More formats than are remembered, faster than the disk is written.
    for number in 0..<5000 {
      var format = TestPacket.format
      format.channels = 1 + number % 2
      disk.log.append(
        TestPacket.at(disk.log.writerPosition, bytes: 40).span, samples: 1152, format: format)
    }
    disk.log.publish(at: disk.clock.now)
    disk.turn()
    #expect(disk.events == [.holeOpened(position: written)])
    disk.feed(seconds: 2)
    let reader = LogReader(disk.log)
    #expect(reader.format(at: reader.edge.position)?.channels == 2)
    #expect(disk.log.snapshot().storage == .healthy)
  }
}
