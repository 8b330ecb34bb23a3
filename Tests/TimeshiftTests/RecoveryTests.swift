import Glibc
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Timeshift

@Suite struct RecoveryTests {
  @Test func `a closed log comes back with audio, titles, gaps and air times`() throws {
    let disk = try LogOnDisk()
    disk.log.markTitle(Title(text: "One", url: "http://one/"))
    disk.feed(seconds: 70)
    disk.clock.advance(seconds: 30)
    disk.log.markGap(seconds: 30, cause: .upstreamAway)
    disk.log.markTitle(Title(text: "Two"))
    disk.feed(seconds: 20)
    disk.log.close()
    let again = try LogOnDisk(in: disk.directory)
    #expect(again.log.edge == disk.log.edge)
    #expect(again.log.oldest == disk.log.oldest)
    #expect(again.isWholeAndKnown)
    #expect(again.log.titles(limit: 9).map(\.title) == disk.log.titles(limit: 9).map(\.title))
    #expect(again.log.titles(limit: 9).map(\.air) == disk.log.titles(limit: 9).map(\.air))
    let old = LogReader(disk.log)
    let new = LogReader(again.log)
    let gap = old.gapPosition(after: 0)
    #expect(new.gapMark(at: gap) == GapMark(position: gap, seconds: 30, cause: .upstreamAway))
    for second in stride(from: 0.0, to: 90, by: 9) {
      let media = MediaTime(seconds: second)
      #expect(new.air(at: media) == old.air(at: media))
    }
    #expect(again.log.snapshot().segmentsSetAside == 0)
    for seconds in [3.0, 75, 200] {
      let isSame = again.log.tail(seconds: seconds) == disk.log.tail(seconds: seconds)
      #expect(isSame, "\(seconds) s")
    }
  }

  @Test func `a log that is opened again goes on in a new segment where it ended`() throws {
    let disk = try LogOnDisk()
    disk.log.markTitle(Title(text: "One"))
    disk.feed(seconds: 5)
    disk.log.close()
    let edge = disk.log.edge
    let again = try LogOnDisk(in: disk.directory, clock: disk.clock)
    again.log.markTitle(Title(text: "One"))
    again.feed(seconds: 5)
    #expect(again.directory.names.contains("\(SegmentFormat.name(edge.position)).mp3"))
    #expect(again.isWholeAndKnown)
    #expect(again.log.titles(limit: 9).count == 1)
    #expect(LogReader(again.log).gapPosition(after: 0) == .max)
    again.log.close()
    #expect(try LogOnDisk(in: disk.directory).isWholeAndKnown)
  }

  @Test func `titles in force outlive the segment they began in`() throws {
    let configuration = LogConfiguration(retention: MediaTime(seconds: 60))
    let disk = try LogOnDisk(configuration)
    disk.log.markTitle(Title(text: "Long"))
    disk.feed(seconds: 200)
    disk.log.close()
    let again = try LogOnDisk(configuration, in: disk.directory)
    #expect(again.log.oldest.position > 0)
    #expect(again.log.titles(limit: 9).map(\.title.text) == ["Long"])
    let old = LogReader(disk.log)
    let new = LogReader(again.log)
    #expect(new.air(at: new.oldest.media) == old.air(at: new.oldest.media))
  }

  /// A log as a kill leaves it: nothing sealed, 20 s in one segment with two titles.
  private func killed() throws -> (TemporaryDirectory, audio: [UInt8], index: [UInt8]) {
    let disk = try LogOnDisk()
    disk.log.markTitle(Title(text: "One"))
    disk.feed(seconds: 4)
    disk.log.markTitle(Title(text: "Two"))
    disk.feed(seconds: 4)
    let name = SegmentFormat.name(0)
    return (
      disk.directory, disk.directory.read("\(name).mp3"), disk.directory.read("\(name).idx")
    )
  }

  /// Recovers with these files; returns the edge. Everything up to it must be as written.
  private func recover(
    _ directory: TemporaryDirectory, _ audio: [UInt8], _ index: [UInt8], _ comment: Comment
  ) throws -> UInt64 {
    for name in directory.names where name != "log.id" {
      _ = FileCalls.posix.remove("\(directory.path)/\(name)")
    }
    let name = SegmentFormat.name(0)
    directory.write("\(name).mp3", audio)
    directory.write("\(name).idx", index)
    let again = try LogOnDisk(in: directory)
    let edge = again.log.edge
    #expect(edge.position % 417 == 0, comment)
    #expect(edge.media.flicks == Int64(edge.position / 417) * TestPacket.duration.flicks, comment)
    #expect(again.isWholeAndKnown, comment)
    for title in again.log.titles(limit: 9) {
      #expect(title.position < edge.position, comment)
      #expect(["One", "Two"].contains(title.title.text), comment)
    }
    return edge.position
  }

  /// The ends of the spans, as positions and as lengths of the index.
  private func ends(of index: [UInt8]) -> [(position: UInt64, length: Int)] {
    var ends: [(UInt64, Int)] = []
    index.withUnsafeBytes { bytes in
      guard case .header(_, let seed) = SegmentHeader.read(bytes) else { return }
      var reader = ByteReader(bytes, at: SegmentFormat.headerBytes)
      while let record = SegmentRecord.read(&reader, seed: seed) {
        if case .span(let span) = record { ends.append((span.end.position, reader.offset)) }
      }
    }
    return ends
  }

  @Test func `audio cut off anywhere is believed up to the last whole span`() throws {
    let (directory, audio, index) = try killed()
    let spans = ends(of: index)
    var random = SplitMix(seed: 41)
    let lengths =
      [0, 1, 416, audio.count]
      + (0..<40).map { _ in
        Int.random(in: 0...audio.count, using: &random)
      }
    for length in lengths {
      let edge = try recover(directory, Array(audio[..<length]), index, "cut at \(length)")
      let expected = spans.last { $0.position <= UInt64(length) }?.position ?? 0
      #expect(edge == expected, "cut at \(length)")
    }
  }

  @Test func `an index cut off anywhere is believed up to the last whole entry`() throws {
    let (directory, audio, index) = try killed()
    let spans = ends(of: index)
    var random = SplitMix(seed: 42)
    let lengths =
      [0, 63, 64, index.count]
      + (0..<60).map { _ in
        Int.random(in: 0...index.count, using: &random)
      }
    for length in lengths {
      let edge = try recover(directory, audio, Array(index[..<length]), "cut at \(length)")
      let expected = spans.last { $0.length <= length }?.position ?? 0
      #expect(edge == expected, "cut at \(length)")
    }
  }

  @Test func `a flipped bit in the audio loses its span and what follows, nothing before`() throws {
    let (directory, audio, index) = try killed()
    let spans = ends(of: index)
    var random = SplitMix(seed: 43)
    for _ in 0..<40 {
      let bit = Int.random(in: 0..<audio.count * 8, using: &random)
      var flipped = audio
      flipped[bit / 8] ^= 1 << (bit % 8)
      let edge = try recover(directory, flipped, index, "bit \(bit)")
      let expected = spans.last { $0.position <= UInt64(bit / 8) }?.position ?? 0
      #expect(edge == expected, "bit \(bit)")
    }
  }

  @Test func `audio that a killed process had not synced is synced by the next one`() throws {
    let killed = try LogOnDisk()
    killed.feed(seconds: 3)
    killed.storage.abandon()
    let again = try LogOnDisk(in: killed.directory)
    again.turn()
    // Audio and index.
    #expect(again.disk.plan.withLock { $0.syncsBegun } >= 2)
    #expect(again.log.edge.position > 0)
  }

  @Test func `a sealed segment whose audio was lost in part is believed up to the loss`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 20)
    disk.log.close()
    let name = SegmentFormat.name(0)
    let (audio, index) = (disk.directory.read("\(name).mp3"), disk.directory.read("\(name).idx"))
    #expect(try recover(disk.directory, audio, index, "whole") == UInt64(audio.count))
    // Pages that a power loss has kept from the disk, behind a footer that came there.
    for page in [0, 1, audio.count / 4096 / 2, audio.count / 4096] {
      var torn = audio
      for place in page * 4096..<min(audio.count, (page + 1) * 4096) { torn[place] = 0 }
      let edge = try recover(disk.directory, torn, index, "page \(page)")
      #expect(edge <= UInt64(page * 4096))
      // At most a span is lost besides.
      #expect(edge + 16_384 > UInt64(page * 4096))
    }
  }

  @Test func `a cut that the disk has lost takes nothing of what was written behind it`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 20)
    disk.log.markTitle(Title(text: "lost"))
    disk.feed(seconds: 10)
    disk.log.close()
    let name = SegmentFormat.name(0)
    var audio = disk.directory.read("\(name).mp3")
    let index = disk.directory.read("\(name).idx")
    audio[audio.count / 2] ^= 1
    disk.directory.write("\(name).mp3", audio)
    let again = try LogOnDisk(in: disk.directory, clock: disk.clock)
    let cut = again.log.edgePosition
    #expect((1..<UInt64(audio.count / 2 + 1)).contains(cut))
    // More segments than are checked when a log is opened.
    again.feed(seconds: 300)
    let edge = again.log.edgePosition
    let written = again.collect(cut..<edge)
    again.log.close()
    disk.directory.write("\(name).mp3", audio)
    disk.directory.write("\(name).idx", index)
    let third = try LogOnDisk(in: disk.directory, clock: disk.clock)
    #expect(third.log.edgePosition == edge)
    #expect(third.log.titles(limit: 10).isEmpty)
    #expect(written != nil && third.collect(cut..<edge) == written)
    #expect(disk.directory.names.filter { $0.hasSuffix(SetAside.ending) } == [])
  }

  @Test func `a flipped bit in the index loses its record and what follows, nothing before`() throws
  {
    let (directory, audio, index) = try killed()
    let spans = ends(of: index)
    var random = SplitMix(seed: 44)
    for _ in 0..<60 {
      let bit = Int.random(in: 0..<index.count * 8, using: &random)
      var flipped = index
      flipped[bit / 8] ^= 1 << (bit % 8)
      let edge = try recover(directory, audio, flipped, "bit \(bit)")
      let expected = spans.last { $0.length <= bit / 8 }?.position ?? 0
      #expect(edge == expected, "bit \(bit)")
    }
  }

  @Test func `damage in a sealed segment's index never shows a wrong packet`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 8)
    disk.log.close()
    let name = SegmentFormat.name(0)
    let audio = disk.directory.read("\(name).mp3")
    let index = disk.directory.read("\(name).idx")
    var random = SplitMix(seed: 45)
    for _ in 0..<40 {
      let bit = Int.random(in: 0..<index.count * 8, using: &random)
      var flipped = index
      flipped[bit / 8] ^= 1 << (bit % 8)
      for name in disk.directory.names where name != "log.id" {
        _ = FileCalls.posix.remove("\(disk.directory.path)/\(name)")
      }
      disk.directory.write("\(name).mp3", audio)
      disk.directory.write("\(name).idx", flipped)
      let again = try LogOnDisk(in: disk.directory)
      let reader = LogReader(again.log)
      for second in 0..<8 {
        let wanted = MediaTime(seconds: Double(second))
        guard let point = reader.wait(again.turn, for: { $0.point(atOrBefore: wanted) }) else {
          Issue.record("bit \(bit): no answer")
          continue
        }
        #expect(point.position % 417 == 0, "bit \(bit)")
      }
      #expect(reader.comesToTheEdge(wait: again.turn), "bit \(bit)")
    }
  }

  @Test func `segments that cannot be believed are set aside, not deleted`() throws {
    let (directory, audio, index) = try killed()
    let stranger = SegmentFormat.name(10_000_000 * 417)
    directory.write("\(stranger).mp3", audio)
    directory.write("\(stranger).idx", index)
    directory.write("\(SegmentFormat.name(20_000_000 * 417)).mp3", audio)
    directory.write("\(SegmentFormat.name(30_000_000 * 417)).idx", [1, 2, 3])
    let again = try LogOnDisk(in: directory)
    #expect(again.log.snapshot().segmentsSetAside == 3 && again.events == [.setAside(3)])
    #expect(directory.read("\(stranger).mp3.bad") == audio)
    #expect(directory.read("\(stranger).idx.bad") == index)
    #expect(again.log.edge.position == UInt64(audio.count))
    #expect(again.isWholeAndKnown)
  }

  @Test(arguments: [EIO, EMFILE, EACCES])
  func `a segment that the disk does not give is neither renamed nor forgotten`(error: Int32) throws
  {
    let disk = try LogOnDisk()
    disk.feed(seconds: 190)
    disk.log.close()
    let names = disk.directory.names
    for kinds in [["idx"], ["mp3"], ["idx", "mp3"], ["log.id"]] {
      let failing = FailingFiles()
      failing.set { plan in for kind in kinds { plan.openErrors[kind] = error } }
      let refusal = #expect(throws: StorageError.self) {
        try LogOnDisk(in: disk.directory, disk: failing)
      }
      #expect(refusal?.code == error && disk.directory.names == names)
    }
    let unread = FailingFiles()
    unread.set { $0.readError = error }
    #expect(throws: StorageError.self) { try LogOnDisk(in: disk.directory, disk: unread) }
    #expect(disk.directory.names == names)
    let again = try LogOnDisk(in: disk.directory)
    #expect(again.log.edge == disk.log.edge && again.isWholeAndKnown && again.events.isEmpty)
  }

  @Test func `a log whose past cannot be read is not opened`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 190)
    disk.log.close()
    // A segment that was begun, and whose index could not be made.
    disk.directory.write("\(SegmentFormat.name(disk.log.edge.position)).mp3", [])
    let failing = FailingFiles()
    failing.set { $0.openErrors["idx"] = EIO }
    #expect(throws: StorageError.self) { try LogOnDisk(in: disk.directory, disk: failing) }
    let again = try LogOnDisk(in: disk.directory)
    #expect(again.log.edge == disk.log.edge && again.isWholeAndKnown)
  }

  @Test(arguments: ["idx", "mp3"])
  func `an older segment that the disk does not give is a hole, told of, until it does`(
    kind: String
  ) throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 190)
    disk.log.close()
    let names = disk.directory.names
    let starts = names.filter { $0.hasSuffix(".mp3") }
      .compactMap { SegmentFormat.parse(name: $0)?.position }.sorted()
    let failing = FailingFiles()
    failing.set { $0.openErrors["\(SegmentFormat.name(starts[1])).\(kind)"] = EIO }
    let again = try LogOnDisk(in: disk.directory, disk: failing)
    #expect(again.log.edge == disk.log.edge)
    #expect(LogReader(again.log).answer(starts[1]) == "hole \(starts[2])")
    #expect(again.collect(0..<starts[1]).map { areKnown($0, from: 0) } == true)
    guard case .leftOut(1, let reason)? = again.events.first else {
      Issue.record("nobody was told")
      return
    }
    #expect(reason.contains(SegmentFormat.name(starts[1])) && disk.directory.names == names)
    again.log.close()
    let whole = try LogOnDisk(in: disk.directory)
    #expect(whole.isWholeAndKnown && LogReader(whole.log).answer(starts[1]) != "hole \(starts[2])")
  }

  /// Puts the later segments of another log in a folder; returns how many.
  private func addAnothers(to directory: TemporaryDirectory) throws -> Int {
    let other = try LogOnDisk()
    other.feed(seconds: 190)
    other.log.close()
    let names = other.directory.names.filter {
      SegmentFormat.parse(name: $0).map { $0.position > 0 } ?? false
    }
    for name in names { directory.write(name, other.directory.read(name)) }
    return names.count / 2
  }

  @Test func `segments of another log are set aside, however many they are`() throws {
    let (directory, audio, _) = try killed()
    let count = try addAnothers(to: directory)
    #expect(count > 1)
    let again = try LogOnDisk(in: directory)
    #expect(again.log.edge.position == UInt64(audio.count) && again.isWholeAndKnown)
    #expect(again.log.snapshot().segmentsSetAside == count)
  }

  @Test(arguments: 0..<SegmentFormat.idBytes)
  func `a flipped bit in the id file costs nothing`(place: Int) throws {
    for isMixed in [false, true] {
      let (directory, audio, _) = try killed()
      let count = isMixed ? try addAnothers(to: directory) : 0
      let id = directory.read("log.id")
      var flipped = id
      flipped[place] ^= 4
      directory.write("log.id", flipped)
      let again = try LogOnDisk(in: directory)
      #expect(again.log.edge.position == UInt64(audio.count) && again.isWholeAndKnown)
      #expect(again.log.snapshot().segmentsSetAside == count)
      #expect(directory.read("log.id") == id)
    }
  }

  @Test(arguments: [0, 7, 16, 40])
  func `an id file of something else is written again from segments that agree`(
    bytes: Int
  ) throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 190)
    disk.log.close()
    let id = disk.directory.read("log.id")
    disk.directory.write("log.id", [UInt8](repeating: 9, count: bytes))
    let again = try LogOnDisk(in: disk.directory)
    #expect(again.log.edge == disk.log.edge && again.isWholeAndKnown && again.events.isEmpty)
    #expect(disk.directory.read("log.id") == id)
  }

  @Test func `a flipped bit in the id file of a log that is being written costs nothing`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 100)
    let id = disk.directory.read("log.id")
    var flipped = id
    flipped[5] ^= 4
    disk.directory.write("log.id", flipped)
    disk.feed(seconds: 100)
    #expect(disk.log.snapshot().storage == .healthy && disk.log.oldest.position == 0)
    #expect(disk.isWholeAndKnown && disk.events.isEmpty)
    #expect(disk.directory.read("log.id") == id)
  }

  @Test func `a lost id file is written again from the segments`() throws {
    let (directory, audio, _) = try killed()
    let id = directory.read("log.id")
    _ = FileCalls.posix.remove("\(directory.path)/log.id")
    #expect(try LogOnDisk(in: directory).log.edge.position == UInt64(audio.count))
    #expect(directory.read("log.id") == id)
  }

  @Test func `a newer format is refused and nothing is touched`() throws {
    let (directory, audio, index) = try killed()
    var newer = index
    newer[8] = 2
    // As a newer program would write it: with its CRC right.
    let body = SegmentFormat.headerBytes - 4
    var writer = ByteWriter()
    writer.put(crc32c(newer[..<body]))
    newer.replaceSubrange(body..<body + 4, with: writer.bytes)
    directory.write("\(SegmentFormat.name(0)).idx", newer)
    directory.write("\(SegmentFormat.name(7)).idx", [1])
    let names = directory.names
    #expect(throws: StorageError.self) { try LogOnDisk(in: directory) }
    #expect(directory.names == names)
    #expect(directory.read("\(SegmentFormat.name(0)).mp3") == audio)
    #expect(directory.read("\(SegmentFormat.name(0)).idx") == newer)
  }

  @Test func `a segment that is missing in the middle is a hole`() throws {
    let disk = try LogOnDisk()
    disk.feed(seconds: 190)
    disk.log.close()
    let names = disk.directory.names.filter { $0.hasSuffix(".mp3") }
    let second = SegmentFormat.parse(name: names[1])!.position
    let third = SegmentFormat.parse(name: names[2])!.position
    for kind in ["mp3", "idx"] {
      _ = FileCalls.posix.remove("\(disk.directory.path)/\(SegmentFormat.name(second)).\(kind)")
    }
    let again = try LogOnDisk(in: disk.directory)
    let reader = LogReader(again.log)
    #expect(reader.answer(second) == "hole \(third)")
    #expect(again.collect(0..<second).map { areKnown($0, from: 0) } == true)
    #expect(again.collect(third..<reader.edge.position).map { areKnown($0, from: third) } == true)
    #expect(again.log.edge == disk.log.edge)
  }

  @Test func `a directory that cannot be made is an error that names it`() {
    #expect(throws: StorageError.self) {
      try PacketLog.open(
        directory: "/proc/nowhere",
        configuration: LogConfiguration(retention: MediaTime(seconds: 1)),
        storage: Storage(), at: ManualClock().now, report: { _ in })
    }
  }

  @Test func `removing a log takes its files and no others`() throws {
    let (directory, _, _) = try killed()
    directory.write("\(SegmentFormat.name(7)).idx.bad", [1])
    directory.write("recording.mp3", [1])
    try PacketLog.remove(directory: directory.path)
    #expect(directory.names == ["recording.mp3"])
    try PacketLog.remove(directory: directory.path + "/absent")
  }
}
