import Synchronization
import TestSupport
import Testing
import Wire

@testable import Timeshift

/// An original and its rendition in memory, which is heard late.
private final class Pair {
  var late = MediaTime(seconds: 0.05)
  /// Of the rendition.
  var format = TestPacket.format
  let clock = ManualClock()
  let original: LogWriter
  let rendition: LogWriter

  init() {
    original = LogWriter(memoryOnly: LogConfiguration(), at: clock.now)
    rendition = LogWriter(memoryOnly: LogConfiguration(), at: clock.now)
  }

  var lists: LogLists { original.log.lists.withLock { $0 } }
  var whole: Cells { Cells(original.log, at: clock.now) }
  var own: Cells { Cells(rendition.log, at: clock.now) }
  /// The pieces of the rendition's list: a dot for a gap.
  var text: String {
    own.list(like: whole.list(), of: whole).pieces.map { $0.isGap ? "." : "x" }.joined()
  }

  func append(to writer: LogWriter) {
    let bytes = TestPacket.at(writer.edge.position, bytes: 40)
    let format = writer === rendition ? format : TestPacket.format
    writer.append(bytes.span, samples: 2205, format: format)
    writer.publish(at: clock.now)
  }

  func play(seconds: Int, isMade: Bool = true) { play(packets: seconds * 20, isMade: isMade) }

  func play(packets: Int, isMade: Bool = true) {
    for _ in 0..<packets {
      let media = original.edge.media
      append(to: original)
      clock.advance(seconds: 0.05)
      guard isMade else { continue }
      rendition.markProgramme(lists.programme(at: media - late))
      append(to: rendition)
    }
  }
}

/// Lists of renditions, by hand.
@Suite struct RenditionListTests {
  @Test func `what may still be made is not listed, and what is listed as a gap stays one`() {
    let pair = Pair()
    #expect(pair.text == "")
    pair.play(seconds: 60, isMade: false)
    #expect(pair.text == "")
    pair.play(seconds: 40, isMade: false)
    #expect(pair.text == "....")
    pair.play(seconds: 20)
    let before = String(repeating: ".", count: 17) + "xx"
    #expect(pair.text == before)
    pair.play(seconds: 74, isMade: false)
    #expect(pair.text == before)
    pair.play(seconds: 30, isMade: false)
    #expect(pair.text == before + ".....")
  }

  @Test func `a rendition from the first packet on has the first cell`() {
    let pair = Pair()
    pair.play(seconds: 20)
    #expect(pair.text == "xxx")
  }

  @Test func `the timestamps of a piece are its original's`() {
    let pair = Pair()
    pair.play(seconds: 31)
    for (piece, found) in zip(
      pair.whole.list().pieces, pair.own.list(like: pair.whole.list(), of: pair.whole).pieces)
    {
      #expect(found.programme == piece.programme)
      #expect(found.programme(at: found.end) == piece.programme.upperBound)
      #expect(piece.programme(at: piece.start) == piece.programme.lowerBound)
      let late = MediaTime(seconds: 0.05)
      #expect(found.start == piece.start + late && found.end == piece.end + late)
    }
  }

  @Test func `a piece over an encoder's restart has the packets of both encoders`() throws {
    let pair = Pair()
    pair.play(seconds: 21)
    let before = pair.own.list(like: pair.whole.list(), of: pair.whole).pieces
    let end = pair.rendition.edge.media
    pair.late = MediaTime(seconds: 0.03)
    pair.play(seconds: 21)
    #expect(pair.text == "xxxxxxx" || pair.text == "xxxxxx")
    let list = pair.own.list(like: pair.whole.list(), of: pair.whole).pieces
    #expect(Array(list.prefix(before.count)) == before)
    let piece = try #require(list.first { $0.start < end && $0.end > end })
    let whole = try #require(pair.whole.list().pieces.first { $0.number == piece.number })
    // The second encoder began 20 ms further on: so much is missing, and what is there has its true time.
    let missing = MediaTime(seconds: 0.02)
    #expect(whole.end - whole.start == piece.end - piece.start + missing)
    #expect(piece.programme(at: piece.start) == whole.programme.lowerBound)
    #expect(piece.programme(at: piece.end) == whole.programme.upperBound)
    let name = pair.own.piece(piece.key, cell: piece.cell, part: piece.part, like: pair.whole)
    #expect(name == .piece(piece))
  }

  @Test func `a segment has packets of one format, whatever its rendition's becomes`() {
    let pair = Pair()
    pair.play(seconds: 21)
    pair.format.channels = 3 - pair.format.channels
    pair.late = MediaTime(seconds: 0.03)
    pair.play(seconds: 21)
    #expect(pair.text == "xxx.xx" || pair.text == "xxx.xxx")
  }

  @Test(arguments: -4...4, [0.03, 0.09, 0.25])
  func `a packet at most is left out where an encoder begins near a border`(
    packets: Int, late: Double
  ) {
    let pair = Pair()
    pair.play(packets: 24 * 20 + packets)
    pair.late = MediaTime(seconds: late)
    pair.play(seconds: 20)
    let pieces = pair.own.list(like: pair.whole.list(), of: pair.whole).pieces
    #expect(pieces.count >= 6 && pieces.allSatisfy { !$0.isGap })
    for (piece, next) in zip(pieces, pieces.dropFirst()) {
      // What the second encoder has made again is in one of them only.
      let twice = MediaTime(seconds: max(0, late - 0.05) + 0.05)
      #expect(next.start >= piece.end && next.start - piece.end <= twice, "\(piece)\n\(next)")
    }
  }

  @Test(arguments: [-0.1, 0.4])
  func `what an encoder leaves out or makes again at its restart is in no piece`(late: Double) {
    let pair = Pair()
    pair.play(seconds: 21)
    pair.late = MediaTime(seconds: late)
    pair.play(seconds: 21)
    #expect(pair.text == "xxx.xx" || pair.text == "xxx.xxx")
  }

  @Test func `a name is answered when all of it is there`() {
    let pair = Pair()
    pair.play(seconds: 20)
    let piece = pair.own.list(like: pair.whole.list(), of: pair.whole).pieces[2]
    func answer(_ cell: Int64, _ part: Int = 0, key: PieceKey? = nil) -> PieceAnswer {
      pair.own.piece(key ?? piece.key, cell: cell, part: part, like: pair.whole)
    }
    #expect(answer(2) == .piece(piece))
    #expect(answer(3) == .notListed && answer(2, 1) == .unknown && answer(-1) == .unknown)
    #expect(answer(.max) == .unknown && answer(.min) == .unknown)
    #expect(answer(2, key: PieceKey(life: 7, seconds: 6)) == .unknown)
    #expect(answer(2, key: PieceKey(life: piece.key.life, seconds: 3)) == .unknown)
    #expect(answer(2, key: pair.whole.list().pieces[2].key) == .unknown)
    // Its original is ahead.
    pair.play(seconds: 4, isMade: false)
    #expect(pair.whole.list().pieces.count == 4 && pair.text == "xxx" && answer(3) == .notListed)
  }

  @Test func `a rendition that becomes a station of its own has other names`() {
    let pair = Pair()
    pair.play(seconds: 40)
    let made = pair.own.list(like: pair.whole.list(), of: pair.whole).pieces
    let alone = pair.own.list().pieces
    #expect(!alone.isEmpty)
    #expect(Set(made.map(\.key)).isDisjoint(with: alone.map(\.key)))
    let newest = alone.last!.number
    pair.rendition.markProgramme(nil)
    for _ in 0..<400 {
      pair.append(to: pair.rendition)
      pair.clock.advance(seconds: 0.05)
    }
    let marks = pair.rendition.log.lists.withLock { $0.numbers }
    #expect(marks.last?.original == 0)
    let later = pair.own.list().pieces
    #expect(later.last!.number >= newest + 3)
    #expect(Array(later.prefix(alone.count)) == alone)
    // What it plays now is none of the original's.
    pair.play(seconds: 60, isMade: false)
    #expect(pair.text == "xxxxxx" || pair.text == "xxxxx")
  }

  @Test func `another life of the same process is the same run`() {
    let pair = Pair()
    pair.play(seconds: 20)
    pair.original.log.set(cells: CellSettings(seconds: 4))
    pair.play(seconds: 40)
    let text = pair.text
    #expect(text.count > 11 && !text.contains("."))
    let list = pair.own.list(like: pair.whole.list(), of: pair.whole)
    #expect(Set(list.pieces.map(\.key)).count == 2)
  }

  @Test func `a place that cannot be is none`() {
    let pair = Pair()
    pair.play(seconds: 5)
    let count = pair.rendition.log.lists.withLock { $0.numbers.count }
    for place in [
      ProgrammePlace(time: .max, life: 1), ProgrammePlace(time: .zero - .flick, life: 1),
      ProgrammePlace(time: .zero, life: 0), ProgrammePlace(time: .zero, life: .max),
    ] {
      pair.rendition.markProgramme(place)
      pair.append(to: pair.rendition)
    }
    let marks = pair.rendition.log.lists.withLock { $0.numbers }
    #expect(marks.count == count + 1 && marks.last?.original == 0)
  }

  @Test func `a mark comes back from an index as it was written`() throws {
    let pair = Pair()
    pair.play(seconds: 5, isMade: false)
    pair.play(seconds: 10)
    let lists = pair.rendition.log.lists.withLock { $0 }
    #expect(lists.numbers.count == 1 && lists.numbers[0].original == pair.lists.numbers[0].life)
    for mark in lists.numbers + lists.numbers(from: lists.edge) {
      let record = SegmentRecord.number(mark).encode(seed: 3)
      let read = record.withUnsafeBytes { bytes in
        var reader = ByteReader(bytes)
        return SegmentRecord.read(&reader, seed: 3)
      }
      #expect(read == .number(mark))
    }
  }

  @Test func `a delayed station's newest piece is whole before it is given`() throws {
    let clock = ManualClock()
    let log = PacketLog(memoryOnly: LogConfiguration(), at: clock.now)
    log.feed(seconds: 60, by: clock)
    let delay = MediaTime(seconds: 20)
    let (late, now) = (LogReader(log, delay: delay, at: clock.now), LogReader(log))
    var given = 0
    for _ in 0..<1800 {
      clock.advance(seconds: 0.01)
      late.refresh(at: clock.now)
      guard let piece = Cells(log, delay: delay, at: clock.now).list().pieces.last,
        case .clip(let clip) = late.clip(of: piece)
      else { continue }
      given += 1
      guard case .clip(let whole) = now.clip(of: piece) else {
        Issue.record("it is there")
        return
      }
      #expect(clip == whole)
    }
    #expect(given > 1000)
  }
}
