import Testing
import Timeshift

@testable import Longwave

/// Where a recording's files end, by marks alone.
@Suite struct RecordingCutTests {
  /// Packets of 100 bytes that last a tenth of a second; marks are told as numbers of packets.
  private struct FakeLog: CuttableLog {
    var titles: [Int] = []
    var formats: [Int] = []
    var hole: Int?
    var segmentEnd: Int?
    /// From here on everything is being fetched.
    var known = 1_000_000

    private func next(_ marks: [Int], _ position: UInt64) -> UInt64 {
      marks.map { UInt64($0) * 100 }.first { $0 > position } ?? .max
    }

    func nextFormatPosition(after position: UInt64) -> UInt64 { next(formats, position) }
    func nextTitlePosition(after position: UInt64) -> UInt64 { next(titles, position) }
    func media(at position: UInt64) -> MediaTime? { point(holding: position)?.media }
    func media(ofBoundary position: UInt64) -> MediaTime? { nil }
    func hole(after position: UInt64) -> LogPoint? { hole.map(at) }

    func point(atOrBefore media: MediaTime) -> LogPoint? {
      let packet = Int(max(0, media.seconds) * 10 + 0.001)
      return packet > known ? nil : at(packet)
    }

    func point(holding position: UInt64) -> LogPoint? {
      let packet = Int(position / 100)
      return packet > known ? nil : at(packet)
    }

    func segmentEnd(after position: UInt64) -> LogPoint? { segmentEnd.map(at) }
  }

  private static func at(_ packet: Int) -> LogPoint {
    LogPoint(position: UInt64(packet) * 100, media: MediaTime(seconds: Double(packet) / 10))
  }

  /// Where the next step ends, and what follows.
  private func next(
    from place: Int = 0, file: Int = 0, title: Int = 0, goal: Int = 1000, isLast: Bool = false,
    room: Int64? = nil, splits: Bool = true, overlap: Double = 0, _ log: FakeLog
  ) -> String {
    var cut = RecordingCut(overlap: overlap)
    cut.begin(at: UInt64(title) * 100)
    let piece = RecordingCut.Piece(
      start: Self.at(file), copied: Int64(place - file) * 100, room: room)
    let step = cut.next(
      at: Self.at(place), in: piece,
      before: RecordingCut.Goal(point: Self.at(goal), isLast: isLast), splits: splits, log)
    guard let step else { return "loading" }
    let end = step.end.position / 100
    switch step.then {
    case .more: return "\(end) more"
    case .full: return "\(end) full"
    case .goal: return "\(end) goal"
    case .anotherFile(let point, let title):
      return "\(end) file from \(point.position / 100), title \(title / 100)"
    }
  }

  @Test func `a recording without marks goes on in pieces of ten seconds, up to its goal`() {
    #expect(next(FakeLog()) == "100 more")
    #expect(next(from: 950, FakeLog()) == "1000 goal")
    #expect(next(goal: 30, FakeLog()) == "30 goal")
  }

  @Test func `a piece ends with the segment that it is in`() {
    #expect(next(FakeLog(segmentEnd: 60)) == "60 more")
    #expect(next(FakeLog(segmentEnd: 200)) == "100 more")
  }

  @Test func `a new format begins another file, with the title that is in force`() {
    #expect(next(FakeLog(formats: [70])) == "70 file from 70, title 70")
    #expect(next(splits: false, FakeLog(formats: [70])) == "70 file from 70, title 70")
    #expect(next(goal: 60, FakeLog(formats: [70])) == "60 goal")
    #expect(next(FakeLog(formats: [170])) == "100 more")
  }

  @Test func `a title is another file where titles split`() {
    let log = FakeLog(titles: [0, 40])
    #expect(next(log) == "40 file from 40, title 40")
    #expect(next(splits: false, log) == "100 more")
    #expect(next(from: 20, log) == "40 file from 40, title 40")
    #expect(next(FakeLog(titles: [0, 40], formats: [30])) == "30 file from 30, title 30")
  }

  @Test func `titles that follow within a second begin no file of their own`() {
    #expect(next(FakeLog(titles: [0, 5])) == "100 more")
    #expect(next(FakeLog(titles: [0, 5, 30])) == "30 file from 30, title 30")
    #expect(next(title: 5, FakeLog(titles: [0, 5, 15])) == "15 file from 15, title 15")
  }

  @Test func `files with an overlap go on behind their title, and begin before it`() {
    let log = FakeLog(titles: [0, 60])
    #expect(next(overlap: 2, log) == "80 file from 40, title 60")
    // The next one begins no earlier than this one did.
    #expect(next(from: 50, file: 50, overlap: 2, log) == "80 file from 50, title 60")
    // Not all of the overlap is here yet; at the end it does not come any more.
    #expect(next(goal: 70, overlap: 2, log) == "70 goal")
    #expect(next(goal: 70, isLast: true, overlap: 2, log) == "70 file from 40, title 60")
  }

  @Test func `audio in front of a hole is copied first`() {
    #expect(next(FakeLog(hole: 30)) == "30 more")
    #expect(next(FakeLog(titles: [0, 20], hole: 30)) == "20 file from 20, title 20")
    #expect(next(from: 30, FakeLog(hole: 30)) == "130 more")
  }

  @Test func `a file whose room ends in a packet ends in front of it`() {
    #expect(next(room: 5_050, FakeLog()) == "50 full")
    #expect(next(room: 10_000, FakeLog()) == "100 more")
    #expect(next(from: 20, room: 0, FakeLog()) == "20 full")
    #expect(next(room: 5_050, FakeLog(titles: [0, 40])) == "40 file from 40, title 40")
  }

  @Test func `marks that are not known yet are waited for`() {
    #expect(next(FakeLog(known: 99)) == "loading")
    #expect(next(FakeLog(titles: [0, 60], known: 99)) == "loading")
    #expect(next(splits: false, FakeLog(formats: [70], known: 60)) == "loading")
    #expect(next(room: 5_050, splits: false, FakeLog(segmentEnd: 60, known: 40)) == "loading")
  }
}
