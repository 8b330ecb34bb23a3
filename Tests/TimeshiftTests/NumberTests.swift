import CLinux
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Timeshift

/// Numbers of pieces over restarts, crashes and versions, on a real disk.
@Suite struct NumberTests {
  private static let mark = NumberMark(
    position: 0x0102, media: MediaTime(stored: 0x0304), programme: MediaTime(stored: 0x0506),
    life: 0x4f9a_2c71_b03d, original: 7, cell: 0, number: 216_481_204, discontinuities: 3,
    settings: CellSettings(delay: MediaTime(seconds: 10), seconds: 6),
    before: MediaTime(stored: 0x0908), isCut: true, isJump: false)

  private func read(_ bytes: [UInt8]) -> SegmentRecord? {
    bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      return SegmentRecord.read(&reader, seed: 9)
    }
  }

  @Test func `a record of numbers has its bytes, and comes back`() {
    let payload: [UInt8] = [
      0x02, 0x01, 0, 0, 0, 0, 0, 0, 0x04, 0x03, 0, 0, 0, 0, 0, 0, 0x06, 0x05, 0, 0, 0, 0, 0, 0,
      0x3d, 0xb0, 0x71, 0x2c, 0x9a, 0x4f, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0xb4, 0x3d, 0xe7, 0x0c, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0x10, 0x27, 0, 0, 0x08, 0x09, 0,
      0,
      6, 1,
    ]
    let record = [UInt8(ascii: "N"), UInt8(payload.count), 0] + payload
    let crc = linux_crc32c(9, record, record.count)
    let bytes = record + withUnsafeBytes(of: crc.littleEndian, Array.init)
    #expect(SegmentRecord.number(Self.mark).encode(seed: 9) == bytes)
    #expect(read(bytes) == .number(Self.mark))
    for count in 0..<bytes.count { #expect(read(Array(bytes.prefix(count))) == nil) }
  }

  @Test func `a record of numbers beyond all that a log has is not believed`() {
    let wild: [(inout NumberMark) -> Void] = [
      { $0.position = 1 << 62 }, { $0.media = .max }, { $0.media = MediaTime(stored: -1) },
      { $0.programme = .max }, { $0.life = 1 << 48 }, { $0.original = .max }, { $0.cell = -1 },
      { $0.cell = .max }, { $0.cell = 2 }, { $0.number = -1 }, { $0.number = .max },
      { $0.discontinuities = .max }, { $0.settings.seconds = 0 }, { $0.settings.seconds = 11 },
      { $0.settings.delay = MediaTime(seconds: 61) },
    ]
    for change in wild {
      var mark = Self.mark
      change(&mark)
      #expect(read(SegmentRecord.number(mark).encode(seed: 9)) == .unknown)
    }
    #expect(read(SegmentRecord.number(Self.mark).encode(seed: 9)) == .number(Self.mark))
  }

  @Test func `a run says when its times on air stay`() {
    let clock = ManualClock()
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    func isSettled() -> Bool? { log.lists.withLock { $0.run?.isSettled } }
    #expect(isSettled() == nil)
    log.feed(seconds: 4, by: clock)
    #expect(isSettled() == false)
    let version = log.version.load(ordering: .relaxed)
    log.feed(seconds: 2, by: clock)
    #expect(isSettled() == true && log.version.load(ordering: .relaxed) != version)
    log.markGap(seconds: 1, cause: .upstreamAway)
    log.feed(seconds: 1, by: clock)
    #expect(isSettled() == false)
  }

  // MARK: Restarts

  private func list(_ log: PacketLog, at now: Moment) -> CellList { Cells(log, at: now).list() }

  /// Plays with titles, also late ones, gaps and changes of format.
  private func play(_ disk: LogOnDisk, _ random: inout SplitMix) {
    for _ in 0..<Int.random(in: 2...12, using: &random) {
      let edge = disk.log.writerPosition
      switch Int.random(in: 0..<8, using: &random) {
      case 0: disk.log.markGap(seconds: 7, cause: .upstreamAway)
      case 1...4: disk.log.markTitle(Title(text: "\(edge)"))
      case 5:
        let packet = edge / 417 - min(edge / 417, UInt64.random(in: 1...300, using: &random))
        if disk.log.writerTitlePosition.map({ $0 < packet * 417 }) ?? true, packet * 417 < edge {
          disk.log.markTitle(
            Title(text: "late \(packet)"),
            at: LogPoint(
              position: packet * 417, media: MediaTime(samples: Int(packet) * 1152, rate: 44100)))
        }
      default: break
      }
      disk.feed(seconds: Double.random(in: 0.5...20, using: &random))
    }
  }

  @Test(arguments: [0.0, 10])
  func `names, numbers and contents stay over restarts and kills`(delay: Double) throws {
    let seed = UInt64.random(in: 0...9999)
    print("seed \(seed)")
    var random = SplitMix(seed: seed)
    for round in 0..<6 {
      var configuration = LogConfiguration(retention: MediaTime(seconds: 900))
      configuration.cells = CellSettings(delay: MediaTime(seconds: delay))
      let (directory, clock) = (TemporaryDirectory(), ManualClock())
      var seen: [String: Piece] = [:]
      var newest: Int64 = 0
      for restart in 0..<8 {
        let disk = try LogOnDisk(configuration, in: directory, clock: clock)
        let comment: Comment = "seed \(seed), round \(round), restart \(restart)"
        #expect(!disk.log.lists.withLock { $0.numbers.dropFirst().contains { $0.isJump } }, comment)
        let before = list(disk.log, at: clock.now)
        for _ in 0..<3 {
          play(disk, &random)
          for piece in list(disk.log, at: clock.now).pieces {
            let name = "\(piece.key.text)/\(piece.cell)-\(piece.part)"
            let known = seen[name] ?? piece
            #expect(known == piece, comment)
            seen[name] = known
          }
        }
        let after = list(disk.log, at: clock.now)
        let first = try #require(after.pieces.first?.number, comment)
        #expect(first >= newest, comment)
        newest = first
        let numbers = Dictionary(
          after.pieces.map { ($0.number, $0) }, uniquingKeysWith: { $1 })
        for piece in before.pieces.dropFirst() {
          if let same = numbers[piece.number] { #expect(same == piece, comment) }
        }
        // What was never written comes again.
        if Bool.random(using: &random) {
          disk.storage.abandon()
          newest = 0
        } else {
          disk.log.close()
        }
        clock.advance(seconds: Double.random(in: 0...30, using: &random))
      }
    }
  }

  /// Removes the records of numbers from an index: what a version that does not know them writes.
  private func forgetNumbers(_ directory: TemporaryDirectory, _ name: String) throws {
    let index = directory.read(name)
    let scan = try #require(SegmentScan(index))
    var kept = Array(index.prefix(SegmentFormat.headerBytes))
    index.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes, at: SegmentFormat.headerBytes)
      var (begin, tail) = (reader.offset, 0)
      while let record = SegmentRecord.read(&reader, seed: scan.seed) {
        switch record {
        case .number: break
        case .footer(var footer):
          footer.tail = UInt64(tail)
          kept += SegmentRecord.footer(footer).encode(seed: scan.seed)
        default: kept += bytes[begin..<reader.offset]
        }
        begin = reader.offset
        if case .span = record { tail = kept.count }
      }
      #expect(reader.left == 0)
    }
    directory.write(name, kept)
  }

  @Test func `segments from before there were numbers have names and numbers that stay`() throws {
    let configuration = LogConfiguration(retention: MediaTime(seconds: 900))
    let (directory, clock) = (TemporaryDirectory(), ManualClock())
    var random = SplitMix(seed: 5)
    let old = try LogOnDisk(configuration, in: directory, clock: clock)
    for _ in 0..<5 { play(old, &random) }
    old.log.close()
    for name in directory.names where name.hasSuffix(".idx") { try forgetNumbers(directory, name) }
    let first = try LogOnDisk(configuration, in: directory, clock: clock)
    let before = list(first.log, at: clock.now).pieces
    #expect(before.count > 20 && Set(before.map(\.key)).count > 2)
    #expect(zip(before, before.dropFirst()).allSatisfy { $0.number + 1 == $1.number })
    first.feed(seconds: 30)
    let after = list(first.log, at: clock.now).pieces
    first.log.close()
    let again = try LogOnDisk(configuration, in: directory, clock: clock)
    let third = list(again.log, at: clock.now).pieces
    let pieces = Dictionary(third.map { ($0.number, $0) }, uniquingKeysWith: { $1 })
    for piece in before.dropFirst() + after.dropFirst() {
      if let same = pieces[piece.number] { #expect(same == piece) }
    }
    #expect(!again.log.lists.withLock { $0.numbers.dropFirst().contains { $0.isJump } })
    // A version that does not know numbers went on for a while.
    again.feed(seconds: 100)
    again.log.close()
    for name in directory.names.filter({ $0.hasSuffix(".idx") }).suffix(1) {
      try forgetNumbers(directory, name)
    }
    let last = try LogOnDisk(configuration, in: directory, clock: clock)
    let lists = last.log.lists.withLock { $0 }
    #expect(!lists.numbers.dropFirst().contains { $0.isJump } && last.isWholeAndKnown)
    #expect(lists.numbers.last?.life == UInt64(lists.segments.last!.file.seed))
  }

  @Test(.timeLimit(.minutes(2)))
  func `numbers whose time is not that of their segment are not believed`() throws {
    let (directory, clock) = (TemporaryDirectory(), ManualClock())
    var random = SplitMix(seed: 7)
    let configuration = LogConfiguration(retention: MediaTime(seconds: 900))
    let disk = try LogOnDisk(configuration, in: directory, clock: clock)
    for _ in 0..<5 { play(disk, &random) }
    disk.log.close()
    let again = try LogOnDisk(configuration, in: directory, clock: clock)
    let lists = again.log.lists.withLock { $0 }
    let segment = try #require(lists.segments.dropFirst(2).first)
    for media in [MediaTime(seconds: 1), segment.end.media + .flick, MediaTime(stored: 1 << 60)] {
      var (right, wrong) = (lists, lists)
      right.adopt(numbers: lists.numbers, isCut: false)
      var mark = Self.mark
      (mark.position, mark.media) = (segment.start.position + 1, media)
      (mark.programme, mark.cell, mark.settings) = (media, 0, CellSettings())
      wrong.adopt(numbers: lists.numbers + [mark], isCut: false)
      #expect(wrong.numbers == right.numbers)
      // Numbers are counted to an end with marks in any order.
      let borders = PieceBorders(marks: lists.numbers + [mark], titles: lists.titles)
      #expect(borders.number(of: 60, by: lists.numbers[0]) > lists.numbers[0].number)
    }
  }

  @Test func `records of a type that is not known are passed over, wherever they stand`() throws {
    let (directory, clock) = (TemporaryDirectory(), ManualClock())
    let disk = try LogOnDisk(in: directory, clock: clock)
    disk.log.markTitle(Title(text: "One"))
    disk.feed(seconds: 8)
    disk.log.close()
    let name = try #require(directory.names.first { $0.hasSuffix(".idx") })
    var index = directory.read(name)
    let scan = try #require(SegmentScan(index))
    var unknown = SegmentRecord.number(Self.mark).encode(seed: scan.seed).dropLast(4)
    unknown[0] = UInt8(ascii: "n")
    let crc = linux_crc32c(scan.seed, Array(unknown), unknown.count)
    unknown += withUnsafeBytes(of: crc.littleEndian, Array.init)
    // In the tail.
    index.insert(contentsOf: unknown, at: index.count - SegmentFormat.footerBytes)
    directory.write(name, index)
    let again = try LogOnDisk(in: directory, clock: clock)
    #expect(again.isWholeAndKnown && again.log.titles(limit: 9).map(\.title.text) == ["One"])
    #expect(again.log.snapshot().segmentsSetAside == 0)
  }

  @Test func `a piece is cut out of the log, from memory and from the disk`() throws {
    let disk = try LogOnDisk(LogConfiguration(retention: MediaTime(seconds: 900)))
    disk.feed(seconds: 200)
    let reader = LogReader(disk.log)
    let pieces = list(disk.log, at: disk.clock.now).pieces
    #expect(pieces.count == 33 && pieces[0].cell == 0)
    var position: UInt64 = 0
    for piece in pieces {
      var answer = reader.clip(of: piece)
      while case .loading = answer {
        disk.turn()
        reader.refresh()
        answer = reader.clip(of: piece)
      }
      guard case .clip(let clip) = answer else {
        Issue.record("\(piece) is not there")
        return
      }
      // Each packet is in one piece.
      #expect(clip.start.position == position)
      #expect(clip.start.media >= piece.start && clip.end.media >= piece.end)
      position = clip.end.position
    }
  }
}
