import Glibc
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Timeshift

/// Files of a log that somebody takes away while it is written.
@Suite struct LostFolderTests {
  private func losses(_ disk: LogOnDisk) -> [LostAudio] {
    disk.events.compactMap { if case .lost(let lost) = $0 { lost } else { nil } }
  }

  /// What the next process finds, where this one ends without a word.
  private func afterRestart(_ disk: LogOnDisk) throws -> LogOnDisk {
    disk.storage.abandon()
    return try LogOnDisk(in: disk.directory)
  }

  @Test func `a folder that is removed is made again, and gets what the memory has`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 300)
    disk.directory.remove()
    disk.feed(seconds: 20)
    let lost = losses(disk)
    #expect(lost.count == 1 && disk.events.count == 1, "\(disk.events)")
    #expect(lost[0].directory == disk.directory.path && lost[0].segments >= 5)
    // Half a minute is in memory.
    #expect(lost[0].media.seconds > 250 && lost[0].media.seconds < 300)
    #expect(disk.log.snapshot().storage == .healthy)
    #expect(disk.log.oldest.position > 0 && disk.isWholeAndKnown)
    let oldest = disk.log.oldest
    disk.feed(seconds: 200)
    #expect(disk.log.oldest == oldest && disk.isWholeAndKnown)
    #expect(disk.log.snapshot().audioBytes == disk.log.edge.position - oldest.position)
    let again = try afterRestart(disk)
    #expect(again.log.oldest == oldest && again.isWholeAndKnown)
    #expect(disk.log.edge.position - again.log.edge.position < 16_000)
  }

  @Test func `titles, gaps and air times that the memory has are written again too`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 100)
    disk.log.markTitle(Title(text: "before"))
    disk.feed(seconds: 30)
    disk.log.markGap(seconds: 7, cause: .upstreamAway)
    disk.clock.advance(seconds: 7)
    disk.log.markTitle(Title(text: "behind"))
    disk.feed(seconds: 5)
    disk.directory.remove()
    disk.feed(seconds: 20)
    let again = try afterRestart(disk)
    let (was, found) = (LogReader(disk.log), LogReader(again.log))
    for position in stride(from: found.oldest.position, to: found.edge.position, by: 41_700) {
      #expect(was.titleMark(at: position)?.title == found.titleMark(at: position)?.title)
    }
    #expect(again.log.titles(limit: 9).map(\.title.text) == ["behind", "before"])
    #expect(again.log.lists.withLock { $0.gaps.map(\.seconds) } == [7])
    for media in [found.oldest.media, found.edge.media] {
      #expect(abs(was.air(at: media).nanoseconds(since: found.air(at: media))) < 1_000_000_000)
    }
  }

  @Test func `a listener in the removed past is told where there is audio, others notice nothing`()
    throws
  {
    let disk = try LogOnDisk()
    disk.feed(seconds: 300)
    let past = LogReader(disk.log)
    #expect(past.collect(10_000..<20_000) { disk.turn() } != nil)
    let live = LogReader(disk.log)
    let start = live.edge.position
    disk.directory.remove()
    disk.feed(seconds: 20)
    live.refresh()
    let heard = live.collect(start..<live.edge.position)
    #expect(heard.map { areKnown($0, from: start) } == true)
    past.refresh()
    #expect(past.answer(20_000) == "overrun \(disk.log.oldest.position)")
  }

  @Test func `a folder that is gone when a segment begins is made again at once`() throws {
    var configuration = LogConfiguration(retention: MediaTime(seconds: 86400))
    configuration.segment = MediaTime(seconds: 1)
    let disk = try LogOnDisk(configuration)
    disk.feed(seconds: 60)
    disk.directory.remove()
    disk.feed(seconds: 1.5)
    #expect(losses(disk).count == 1)
    #expect(disk.log.snapshot().storage == .healthy && disk.isWholeAndKnown)
  }

  @Test func `an empty log's folder is made again too`() throws {
    let disk = try LogOnDisk()
    disk.directory.remove()
    disk.feed(seconds: 10)
    #expect(disk.events.isEmpty)
    #expect(try afterRestart(disk).log.edge.position > 0)
  }

  @Test func `the other segments stay when the newest files of a folder are deleted`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 290)
    for name in disk.directory.names.suffix(2) { unlink("\(disk.directory.path)/\(name)") }
    disk.feed(seconds: 20)
    #expect(losses(disk).map(\.segments) == [1])
    #expect(disk.log.oldest.position == 0)
    // Four segments in front of the hole, and what the memory had behind it.
    #expect(disk.log.snapshot().segments == 5 && disk.log.snapshot().holes == 1)
    let again = try afterRestart(disk)
    #expect(again.log.snapshot().segments == 5)
    #expect(again.log.lists.withLock { $0.setAside } == 0)
  }

  @Test func `a log that is closed right after its folder was removed leaves what it has`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 100)
    disk.directory.remove()
    disk.log.close()
    let again = try LogOnDisk(in: disk.directory)
    #expect(again.log.edge == disk.log.edge)
    #expect(again.log.oldest.position < again.log.edge.position && again.isWholeAndKnown)
  }

  @Test func `a folder that cannot be made again is a disk that has failed, until it can`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 100)
    disk.directory.remove()
    disk.disk.set { $0.folderError = EIO }
    disk.feed(seconds: 10)
    guard case .failed(let reason) = disk.log.snapshot().storage else {
      Issue.record("the folder is away and nobody says so")
      return
    }
    #expect(reason.contains("mkdir"))
    disk.disk.set { $0.folderError = nil }
    disk.feed(seconds: 20)
    #expect(disk.log.snapshot().storage == .healthy && disk.isWholeAndKnown)
    #expect(disk.events.last == .restored)
  }

  @Test(arguments: [EIO, EMFILE])
  func `a folder that is taken away while nobody can look at it is noticed when one can`(
    error: Int32
  ) throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 150)
    disk.directory.remove()
    disk.disk.set { $0.listError = error }
    disk.feed(seconds: 8)
    guard case .failed = disk.log.snapshot().storage else {
      Issue.record("the folder is away and nobody says so")
      return
    }
    disk.disk.set { $0.listError = nil }
    disk.feed(seconds: 20)
    #expect(losses(disk).count == 1 && losses(disk)[0].segments == 3, "\(disk.events)")
    #expect(disk.log.snapshot().storage == .healthy && disk.log.oldest.position > 0)
    #expect(disk.isWholeAndKnown)
    let again = try afterRestart(disk)
    #expect(again.log.oldest == disk.log.oldest && again.isWholeAndKnown)
  }

  @Test func `a disk that does not say whether a file is there loses nothing`() throws {
    let disk = try LogOnDisk()
    disk.disk.set { $0.lookUpError = EIO }
    disk.feed(seconds: 100)
    #expect(disk.events.isEmpty && disk.log.oldest.position == 0 && disk.isWholeAndKnown)
  }

  @Test(arguments: [true, false])
  func `files that are removed now and then never let a reader see a wrong byte`(
    isWhole: Bool
  ) throws {
    for seed in 1...6 as ClosedRange<UInt64> {
      var random = SplitMix(seed: seed)
      var configuration = LogConfiguration(retention: MediaTime(seconds: 100))
      configuration.segment = MediaTime(seconds: 10)
      let disk = try LogOnDisk(configuration)
      for _ in 0..<30 {
        let names = disk.directory.names
        switch Int.random(in: 0..<4, using: &random) {
        case 0: disk.directory.remove()
        case 1 where !isWhole && !names.isEmpty:
          unlink("\(disk.directory.path)/\(names.randomElement(using: &random)!)")
        case 2: disk.disk.set { $0.writeError = EIO }
        default: break
        }
        disk.feed(seconds: Double.random(in: 0.3..<15, using: &random))
        disk.disk.set { $0.writeError = nil }
      }
      disk.feed(seconds: 120)
      #expect(disk.log.snapshot().storage == .healthy && disk.isWholeAndKnown, "seed \(seed)")
      let again = try afterRestart(disk)
      #expect(again.isWholeAndKnown && again.log.edge.position > 0, "seed \(seed)")
      // One file of two, of a segment that is sealed, is found at the next start only.
      #expect(!isWhole || again.log.lists.withLock { $0.setAside } == 0, "seed \(seed)")
    }
  }
}
