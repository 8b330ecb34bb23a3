import Glibc
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Timeshift

/// Folders of a log that become others while it is written: mounted over, restored, renamed away and back.
@Suite struct SwappedFolderTests {
  /// Another place for a folder, removed with the test.
  private final class Place {
    let path: String

    init(beside directory: TemporaryDirectory, _ name: String) {
      path = "\(directory.path)-\(name)"
    }

    deinit {
      for name in FileCalls.posix.list(path).names { unlink("\(path)/\(name)") }
      rmdir(path)
    }

    var names: [String] { FileCalls.posix.list(path).names.sorted() }
  }

  private func copy(_ from: String, _ to: String) {
    mkdir(to, 0o700)
    for name in FileCalls.posix.list(from).names {
      guard let source = try? LogFile("\(from)/\(name)", O_RDONLY, .posix),
        let size = try? source.size(), let bytes = try? source.read(Int(size), at: 0),
        let target = try? LogFile("\(to)/\(name)", O_WRONLY | O_CREAT, .posix)
      else { continue }
      try? target.write(bytes)
    }
  }

  private func afterRestart(_ disk: LogOnDisk) throws -> LogOnDisk {
    disk.storage.abandon()
    return try LogOnDisk(in: disk.directory)
  }

  private func setAside(_ disk: LogOnDisk) -> Int { disk.log.lists.withLock { $0.setAside } }

  /// A listener's way from the oldest packet to the edge, over whatever holes there are; false: a byte was wrong.
  private func isKnownWhereItIs(_ disk: LogOnDisk) -> Bool {
    let past = PastReader(disk.log, at: disk.log.oldest.position)
    for _ in 0..<2000 where past.position < disk.log.edge.position {
      past.turn()
      disk.turn()
    }
    return past.isKnown && past.position == disk.log.edge.position
  }

  @Test func `a log goes on in a copy put in its folder's place, and loses nothing`() throws {
    let disk = try LogOnDisk()
    let (away, copied) = (
      Place(beside: disk.directory, "away"), Place(beside: disk.directory, "copy")
    )
    disk.feed(seconds: 200)
    let past = PastReader(disk.log, at: 0)
    past.turn()
    copy(disk.directory.path, copied.path)
    disk.feed(seconds: 3)
    #expect(rename(disk.directory.path, away.path) == 0)
    #expect(rename(copied.path, disk.directory.path) == 0)
    disk.feed(seconds: 20)
    #expect(disk.log.oldest.position == 0 && disk.log.snapshot().holes == 0)
    #expect(disk.log.snapshot().storage == .healthy && disk.isWholeAndKnown)
    #expect(disk.events.isEmpty)
    for _ in 0..<20 {
      past.turn()
      disk.turn()
    }
    #expect(past.isKnown && past.position > 100_000)
    disk.feed(seconds: 100)
    #expect(disk.isWholeAndKnown)
    let again = try afterRestart(disk)
    #expect(again.log.oldest.position == 0 && setAside(again) == 0 && again.isWholeAndKnown)
    #expect(disk.log.edge.position - again.log.edge.position < 16_000)
    again.log.close()
  }

  @Test func `an older copy in a folder's place loses only what came since`() throws {
    let disk = try LogOnDisk()
    let (away, copied) = (
      Place(beside: disk.directory, "away"), Place(beside: disk.directory, "copy")
    )
    disk.feed(seconds: 100)
    copy(disk.directory.path, copied.path)
    disk.feed(seconds: 200)
    #expect(rename(disk.directory.path, away.path) == 0)
    #expect(rename(copied.path, disk.directory.path) == 0)
    disk.feed(seconds: 20)
    #expect(disk.log.oldest.position == 0 && disk.log.snapshot().holes == 1)
    #expect(disk.log.snapshot().storage == .healthy && isKnownWhereItIs(disk))
    let read = disk.log.snapshot().audioBytes
    // A hundred seconds of the copy, and half a minute of memory.
    #expect(Double(read) / 16_000 > 130, "\(read)")
    let again = try afterRestart(disk)
    #expect(again.log.oldest.position == 0 && setAside(again) == 0 && isKnownWhereItIs(again))
    #expect(again.log.snapshot().audioBytes + 16_000 > read)
    again.log.close()
  }

  /// Each a minute: the second, of another format, cannot be read when the log is opened.
  @Test func `a segment unread at a start comes back with its formats and titles`() throws {
    let first = try LogOnDisk()
    let other = AudioFormat(codec: .mp3, sampleRate: 48_000, channels: 1)
    let formats = [TestPacket.format, other, TestPacket.format]
    var starts: [UInt64] = []
    for (number, format) in formats.enumerated() {
      first.log.markTitle(Title(text: "Part \(number)"))
      starts.append(first.log.writerPosition)
      while first.log.writerMedia.seconds < Double(starts.count) * 60 {
        first.log.appendKnown(format: format)
      }
      first.log.publish(at: first.clock.now)
      first.turn()
      first.clock.advance(seconds: 60)
    }
    first.log.close()
    let failing = FailingFiles()
    let name = SegmentFormat.name(starts[1])
    failing.set { $0.openErrors = ["\(name).idx": EIO] }
    let disk = try LogOnDisk(in: first.directory, clock: first.clock, disk: failing)
    func told() -> [String] {
      let reader = LogReader(disk.log)
      return starts.map { start in
        "\(reader.format(at: start)?.sampleRate ?? 0) \(reader.titleMark(at: start)?.title.text ?? "")"
      }
    }
    disk.feed(seconds: 3)
    #expect(told() == ["44100 Part 0", "44100 Part 1", "44100 Part 2"])
    failing.set { $0.openErrors = [:] }
    let (away, copied) = (
      Place(beside: disk.directory, "away"), Place(beside: disk.directory, "copy")
    )
    copy(disk.directory.path, copied.path)
    #expect(rename(disk.directory.path, away.path) == 0)
    #expect(rename(copied.path, disk.directory.path) == 0)
    disk.feed(seconds: 20)
    #expect(told() == ["44100 Part 0", "48000 Part 1", "44100 Part 2"])
    disk.log.close()
  }

  @Test(arguments: [2.0, 10, 25])
  func `a folder renamed away and back has all that was ever in it`(seconds: Double) throws {
    let disk = try LogOnDisk()
    let (away, between) = (
      Place(beside: disk.directory, "away"), Place(beside: disk.directory, "between")
    )
    disk.feed(seconds: 100)
    disk.log.markTitle(Title(text: "before"))
    disk.feed(seconds: 20)
    #expect(rename(disk.directory.path, away.path) == 0)
    disk.feed(seconds: seconds)
    disk.log.markTitle(Title(text: "between"))
    disk.feed(seconds: 1)
    _ = rename(disk.directory.path, between.path)
    #expect(rename(away.path, disk.directory.path) == 0)
    disk.feed(seconds: 20)
    #expect(disk.log.oldest.position == 0 && disk.log.snapshot().holes == 0)
    #expect(disk.log.snapshot().storage == .healthy && disk.isWholeAndKnown)
    #expect(disk.log.titles(limit: 9).map(\.title.text) == ["between", "before"])
    let again = try afterRestart(disk)
    #expect(again.log.oldest.position == 0 && setAside(again) == 0 && again.isWholeAndKnown)
    #expect(again.log.titles(limit: 9).map(\.title.text) == ["between", "before"])
    again.log.close()
  }

  @Test(arguments: [6.0, 90])
  func `files that come back beside those written since are its past again at the next start`(
    seconds: Double
  ) throws {
    let disk = try LogOnDisk()
    let away = Place(beside: disk.directory, "away")
    disk.feed(seconds: 110)
    #expect(rename(disk.directory.path, away.path) == 0)
    disk.feed(seconds: seconds)
    for name in away.names where !disk.directory.names.contains(name) {
      #expect(rename("\(away.path)/\(name)", "\(disk.directory.path)/\(name)") == 0)
    }
    disk.feed(seconds: 50)
    #expect(isKnownWhereItIs(disk))
    let again = try afterRestart(disk)
    #expect(again.log.oldest.position == 0 && setAside(again) == 0 && again.isWholeAndKnown)
    #expect(disk.log.edge.position - again.log.edge.position < 16_000)
    again.log.close()
  }

  @Test func `audio of another log in the folder is neither heard nor changed`() throws {
    let disk = try LogOnDisk()
    let other = try LogOnDisk()
    for _ in 0..<8000 {
      let bytes = TestPacket.at(other.log.writerPosition + 1_000_000_000)
      other.log.append(bytes.span, samples: TestPacket.samples, format: TestPacket.format)
      if other.log.writerPosition % 10 == 0 { other.log.publish(at: other.clock.now) }
    }
    other.log.publish(at: other.clock.now)
    other.log.close()
    disk.feed(seconds: 150)
    let (away, back) = (
      Place(beside: disk.directory, "away"), Place(beside: disk.directory, "back")
    )
    let files = other.directory.names.map { ($0, other.directory.read($0)) }
    #expect(rename(disk.directory.path, away.path) == 0)
    #expect(rename(other.directory.path, disk.directory.path) == 0)
    let past = PastReader(disk.log, at: 0)
    for _ in 0..<10 {
      past.turn()
      disk.turn()
    }
    disk.feed(seconds: 200)
    for _ in 0..<10 {
      past.turn()
      disk.turn()
    }
    #expect(past.isKnown && isKnownWhereItIs(disk))
    for (name, bytes) in files { #expect(disk.directory.read(name) == bytes, "\(name)") }
    #expect(disk.directory.names.count == files.count)
    if case .failed = disk.log.snapshot().storage {
    } else {
      Issue.record("its folder is another log's, and nobody says so")
    }
    // What it began with comes back.
    #expect(rename(disk.directory.path, back.path) == 0)
    #expect(rename(away.path, disk.directory.path) == 0)
    disk.feed(seconds: 30)
    #expect(disk.log.snapshot().storage == .healthy && isKnownWhereItIs(disk))
    #expect(disk.log.oldest.position == 0)
    let again = try afterRestart(disk)
    #expect(again.log.oldest.position == 0 && setAside(again) == 0 && isKnownWhereItIs(again))
    again.log.close()
  }

  @Test func `an empty folder of another log is taken`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 20)
    disk.directory.remove()
    let other = try LogOnDisk(in: disk.directory)
    other.log.close()
    #expect(disk.directory.names == [SegmentFormat.idFile])
    disk.feed(seconds: 20)
    #expect(disk.log.snapshot().storage == .healthy && disk.isWholeAndKnown)
    let again = try afterRestart(disk)
    #expect(again.isWholeAndKnown && again.log.edge.position > 600_000)
    again.log.close()
  }

  @Test func `files that stand where a segment is to begin are never written over`() throws {
    var configuration = LogConfiguration(retention: MediaTime(seconds: 86_400))
    configuration.segment = MediaTime(seconds: 1)
    let disk = try LogOnDisk(configuration)
    disk.feed(seconds: 10)
    let start = disk.log.edge.position
    // As many as a second has, and some: older ones are not kept for ever.
    let names = (1...60).map { SegmentFormat.name(start + UInt64($0 * TestPacket.bytes)) }
    for name in names {
      disk.directory.write("\(name).mp3", [1, 2, 3])
      disk.directory.write("\(name).idx", [4])
    }
    disk.feed(seconds: 3)
    for name in names {
      for (kind, bytes) in [("mp3", [1, 2, 3]), ("idx", [4])] as [(String, [UInt8])] {
        let kept = ["", SetAside.ending].map { disk.directory.read("\(name).\(kind)\($0)") }
        #expect(kept.contains(bytes), "\(name).\(kind)")
      }
    }
    #expect(disk.log.snapshot().storage == .healthy && disk.isWholeAndKnown)
    #expect(disk.events.contains(.setAside(names.count)))
    disk.log.close()
  }

  @Test func `a file system without lasting numbers of files is believed`() throws {
    let disk = try LogOnDisk()
    let away = Place(beside: disk.directory, "away")
    disk.feed(seconds: 20)
    // The same file by another number, as some network file systems have it.
    copy(disk.directory.path, away.path)
    let name = disk.directory.names.first { $0.hasSuffix(".mp3") }!
    let file = try LogFile("\(disk.directory.path)/\(name)", O_RDONLY, .posix)
    #expect(FileCalls.posix.isNamed(file.descriptor, "\(away.path)/\(name)") == 1)
    let longer = try LogFile("\(away.path)/\(name)", O_RDWR, .posix)
    try longer.write([1], at: try longer.size())
    #expect(FileCalls.posix.isNamed(file.descriptor, "\(away.path)/\(name)") == 0)
    disk.log.close()
  }

  @Test func `random swaps of folders give no wrong byte and set nothing good aside`() throws {
    let first = UInt64.random(in: 0...9999)
    print("seed \(first)")
    for seed in first..<first + 6 {
      var random = SplitMix(seed: seed)
      var configuration = LogConfiguration(retention: MediaTime(seconds: 3600))
      configuration.segment = MediaTime(seconds: 10)
      let disk = try LogOnDisk(configuration)
      let places = (0..<3).map { Place(beside: disk.directory, "\(seed)-\($0)") }
      for _ in 0..<25 {
        let place = places.randomElement(using: &random)!
        switch Int.random(in: 0..<5, using: &random) {
        case 0 where place.names.isEmpty:
          rmdir(place.path)
          _ = rename(disk.directory.path, place.path)
        case 1 where place.names.isEmpty: copy(disk.directory.path, place.path)
        case 2 where !place.names.isEmpty:
          let parked = place.path + "-parked"
          _ = rename(disk.directory.path, parked)
          _ = rename(place.path, disk.directory.path)
          _ = rename(parked, place.path)
        case 3:
          for name in place.names where !disk.directory.names.contains(name) {
            _ = rename("\(place.path)/\(name)", "\(disk.directory.path)/\(name)")
          }
        default: break
        }
        disk.feed(seconds: Double.random(in: 0.3..<25, using: &random))
        #expect(isKnownWhereItIs(disk), "seed \(seed)")
      }
      disk.feed(seconds: 40)
      #expect(disk.log.snapshot().storage == .healthy, "seed \(seed)")
      let again = try afterRestart(disk)
      #expect(isKnownWhereItIs(again), "seed \(seed)")
      #expect(disk.log.edge.position - again.log.edge.position < 16_000, "seed \(seed)")
      again.log.close()
    }
  }
}
