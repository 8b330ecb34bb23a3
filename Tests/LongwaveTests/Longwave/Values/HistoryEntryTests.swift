import TestSupport
import Testing
import Timeshift
import Wire

@testable import Longwave

@Suite struct HistoryEntryTests {
  private static func mark(_ second: Int, _ title: Title) -> TitleMark {
    var mark = TitleMark.sample
    mark.position = UInt64(second * 16_000)
    mark.media = MediaTime(seconds: Double(second))
    mark.air = WallTime(seconds: 1_000_000 + Double(second))
    mark.title = title
    return mark
  }

  private static func list(
    _ marks: [TitleMark], oldest: Int = 0, edge: Int = 100, limit: Int = 100
  ) -> [HistoryEntry] {
    let edge = LogPoint(
      position: UInt64(edge * 16_000), media: MediaTime(seconds: Double(edge)))
    return HistoryEntry.list(
      marks.reversed(), oldest: UInt64(oldest * 16_000), edge: edge, limit: limit)
  }

  @Test func `a title ends where the next one begins, and the newest plays`() {
    let played = Self.list([
      Self.mark(10, Title(text: "One")), Self.mark(40, Title(text: "Two")),
      Self.mark(90, Title(text: "Three")),
    ])
    #expect(played.map(\.playing.title) == ["Three", "Two", "One"])
    #expect(played.map(\.seconds) == [10, 50, 30])
    #expect(played.map(\.end?.seconds) == [nil, 1_000_090, 1_000_040])
    #expect(played.map(\.playing.since?.seconds) == [1_000_090, 1_000_040, 1_000_010])
    #expect(played.map(\.isInWindow) == [true, true, true])
  }

  @Test func `a title is in the window as long as any of its audio is`() {
    let marks = [
      Self.mark(10, Title(text: "One")), Self.mark(40, Title(text: "Two")),
      Self.mark(90, Title(text: "Three")),
    ]
    #expect(Self.list(marks, oldest: 39).map(\.isInWindow) == [true, true, true])
    #expect(Self.list(marks, oldest: 40).map(\.isInWindow) == [true, true, false])
    #expect(Self.list(marks, oldest: 100).map(\.isInWindow) == [false, false, false])
  }

  @Test func `an equal title with more details goes on, with the details`() {
    let picture = TitleParts(artist: "A", title: "B", artwork: "http://x/b.jpg")
    let played = Self.list([
      Self.mark(10, Title(text: "A - B")), Self.mark(20, Title(text: "A - B", parts: picture)),
      Self.mark(30, Title(text: "C")), Self.mark(50, Title(text: "A - B")),
    ])
    #expect(played.map(\.playing.position) == [800_000, 480_000, 160_000])
    #expect(played.map(\.seconds) == [50, 20, 20])
    #expect(played.map(\.playing.artwork) == [nil, nil, "http://x/b.jpg"])
  }

  @Test func `each item of a programme is an entry, and one that goes on is one`() {
    func title(_ text: String, _ number: UInt64, sample: UInt64 = 0) -> Title {
      Title(text: text, item: TitleItem(number: number, kind: .track, sample: sample))
    }
    let played = Self.list([
      Self.mark(10, title("A - B", 1)), Self.mark(40, title("A - B", 2)),
      Self.mark(50, title("A - B", 2, sample: 400)), Self.mark(90, Title(text: "A - B")),
    ])
    #expect(played.map(\.playing.item) == [nil, 2, 1])
    #expect(played.map(\.playing.kind) == [nil, .track, .track])
    #expect(played.map(\.seconds) == [10, 50, 30])
  }

  @Test func `a history has no more titles than asked for, and none without marks`() {
    let marks = (0..<9).map { Self.mark($0 * 10, Title(text: "\($0)")) }
    #expect(Self.list(marks, limit: 2).map(\.playing.title) == ["8", "7"])
    #expect(Self.list(marks, limit: 2).map(\.seconds) == [20, 10])
    #expect(Self.list([]).isEmpty)
  }

  @Test func `a history entry's JSON tells all of it`() {
    let played = Self.list([Self.mark(10, Title(text: "A - B"))])[0]
    #expect(
      played.json.text == #"{"title":"B","artist":"A","url":null,"artwork":null,"#
        + #""since":"1970-01-12T13:46:50.000Z","position":160000,"item":null,"kind":null,"#
        + #""end":null,"seconds":90,"inWindow":true}"#)
  }

  @Test func `a history entry of a programme names its item`() {
    let item = TitleItem(number: 118, kind: .insert)
    let played = Self.list([Self.mark(10, Title(text: "A - B", item: item))])[0]
    #expect(played.json.text.contains(#""item":118,"kind":"insert""#))
  }
}

extension TitleMark {
  /// The marks of a log are made by logs alone.
  fileprivate static var sample: TitleMark {
    let log = PacketLog(memoryOnly: LogConfiguration(), at: .now())
    log.markTitle(Title(text: "sample"))
    let format = AudioFormat(codec: .mp3, sampleRate: 44100, channels: 2)
    log.append([1, 2, 3].span, samples: 1152, format: format)
    log.publish(at: .now())
    return log.titles(limit: 1)[0]
  }
}
