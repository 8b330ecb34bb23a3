import TestSupport
import Testing
import Timeshift
import Wire

@testable import Ingest

@Suite struct TitleShiftTests {
  private static func point(_ packet: Int) -> LogPoint {
    LogPoint(
      position: UInt64(packet * 417), media: MediaTime(samples: packet * 1152, rate: 44100))
  }

  /// A shift of so many packets.
  private static func shift(packets: Int) -> TitleShift {
    TitleShift(seconds: Double(packets * 1152) / 44100)
  }

  @Test func `an early title waits for its packet`() {
    var shift = Self.shift(packets: 3)
    let one = Title(text: "One")
    #expect(shift.begin(packetAt: Self.point(4)).isEmpty)
    #expect(shift.place(one, isNews: true, before: Self.point(5), newest: 0) == .later)
    for packet in 5...7 { #expect(shift.begin(packetAt: Self.point(packet)).isEmpty) }
    #expect(shift.begin(packetAt: Self.point(8)).map(\.title) == [one])
    #expect(shift.begin(packetAt: Self.point(9)).isEmpty)
  }

  @Test func `early titles keep their order and their distance`() {
    var shift = Self.shift(packets: 10)
    var marked: [Int: [String]] = [:]
    for packet in 0..<40 {
      if [2, 3, 9, 20].contains(packet) {
        let title = Title(text: "\(packet)")
        #expect(
          shift.place(title, isNews: true, before: Self.point(packet), newest: nil) == .later)
      }
      let due = shift.begin(packetAt: Self.point(packet)).map(\.title.text)
      if !due.isEmpty { marked[packet] = due }
    }
    #expect(marked == [12: ["2"], 13: ["3"], 19: ["9"], 30: ["20"]])
  }

  @Test func `a late title goes back by as many packets`() {
    var shift = Self.shift(packets: -7)
    for packet in 0..<5000 { _ = shift.begin(packetAt: Self.point(packet)) }
    let place = shift.place(
      Title(text: "One"), isNews: true, before: Self.point(5000), newest: Self.point(3).position)
    #expect(place == .earlier(Self.point(4993)))
  }

  @Test func `a late title goes back no further than behind the one before it`() {
    var shift = Self.shift(packets: -7)
    for packet in 0..<50 { _ = shift.begin(packetAt: Self.point(packet)) }
    func place(newest: Int) -> TitleShift.Place {
      shift.place(
        Title(text: "One"), isNews: true, before: Self.point(50),
        newest: Self.point(newest).position)
    }
    #expect(place(newest: 45) == .earlier(Self.point(46)))
    #expect(place(newest: 49) == .next)
  }

  @Test func `a late title goes back no further than this process knows`() {
    var shift = Self.shift(packets: -7)
    for packet in 100..<103 { _ = shift.begin(packetAt: Self.point(packet)) }
    let place = shift.place(
      Title(text: "One"), isNews: true, before: Self.point(103), newest: nil)
    #expect(place == .earlier(Self.point(100)))
    var fresh = Self.shift(packets: -7)
    let first = fresh.place(Title(text: "One"), isNews: true, before: Self.point(0), newest: nil)
    #expect(first == .next)
  }

  @Test func `pages of a sample each are not all remembered`() {
    var shift = TitleShift(seconds: -10)
    for page in 0..<3 * TitleShift.startsMax {
      _ = shift.begin(
        packetAt: LogPoint(
          position: UInt64(page * 40), media: MediaTime(samples: page, rate: 48000)))
    }
    #expect(shift.starts.count <= 2 * TitleShift.startsMax + 2)
  }

  @Test func `a waiting title survives other settings, and comes at once under another shift`() {
    var old = Self.shift(packets: 30)
    _ = old.place(Title(text: "One"), isNews: true, before: Self.point(5), newest: nil)
    var same = Self.shift(packets: 30)
    same.recall(old)
    #expect(same.begin(packetAt: Self.point(6)).isEmpty)
    #expect(same.begin(packetAt: Self.point(35)).count == 1)
    var other = Self.shift(packets: 0)
    other.recall(old)
    #expect(other.isShifting)
    #expect(other.begin(packetAt: Self.point(6)).count == 1)
    #expect(!other.isShifting)
  }
}

/// Real upstreams whose titles stand at known packets.
@Suite(.serialized) struct TitleShiftScenarioTests {
  private static let changes = [60, 120, 200, 290]

  private static let programme = FakeProgramme.numbered(
    speed: 20, titles: changes.map { .init(packet: $0, "Song \($0)") })

  /// The packets at which the station's log has the titles, by their text.
  private func marks(shift packets: Int) async throws -> [String: UInt64] {
    let upstream = try FakeUpstream(Self.programme)
    defer { upstream.stop() }
    var stream = FakeStream()
    // Below a packet's length: every block stands in the packet it belongs to.
    stream.metaint = 128
    stream.unpacedFrom = 0
    stream.stallAfterBytes = Int(NumberedFrames.position(of: 520))
    upstream.reply("/live", with: .stream(stream))
    var settings = IngestHarness.quick([upstream.url("/live")])
    settings.titleShift = Double(packets * 1152) / 44100
    settings.leadMax = 10_000
    let station = try IngestHarness()
    await station.start(settings)
    #expect(await station.wait(packets: 500))
    #expect(await station.wait { $0.titles.count == Self.changes.count })
    let told = station.titles
    _ = await station.finish()
    let marks = station.log.titles(limit: 99)
    #expect(told.map(\.position) == marks.map(\.position).reversed())
    let reader = LogReader(station.log)
    return Dictionary(
      uniqueKeysWithValues: marks.map { mark in
        let packet = NumberedFrames.number(at: mark.position)
        #expect(reader.titleMark(at: mark.position)?.title == mark.title)
        return (mark.title.text, packet)
      })
  }

  @Test(arguments: [25, -25, -300])
  func `titles are moved by exactly so many packets`(shift: Int) async throws {
    let plain = try await marks(shift: 0)
    let moved = try await marks(shift: shift)
    #expect(plain.count == Self.changes.count)
    for (text, packet) in plain {
      // Back to the beginning of what there is, each behind the one before.
      let place = Self.changes.firstIndex { "Song \($0)" == text }!
      let wanted = max(place, Int(packet) + shift)
      #expect(moved[text] == UInt64(wanted), "\(text)")
    }
  }
}

extension NumberedFrames {
  /// The number of the frame that begins there.
  fileprivate static func number(at position: UInt64) -> UInt64 {
    var number = position * 49 / 20_480
    while Self.position(of: number) < position { number += 1 }
    return number
  }
}
