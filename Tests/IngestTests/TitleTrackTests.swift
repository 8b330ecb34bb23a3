import Testing
@testable import Timeshift
import Wire

@testable import Ingest

/// Packets of a second and 100 bytes each, with what is said in front of them.
private struct Script: Sendable, CustomTestStringConvertible {
  enum Step {
    case packets(Int)
    case upstream(Title)
    case page(Title)
    case announced(Title)
    case requested(Title)
    case speakerChanges
    case pageCounts(Bool)
  }

  let testDescription: String
  var shift = 0.0
  let steps: [Step]
  /// The marks in the order they are written: the packet's number and the text, with "=" where it is no news.
  let marks: [String]

  init(_ sentence: String, shift: Double = 0, _ steps: Step..., marks: String...) {
    testDescription = sentence
    (self.shift, self.steps, self.marks) = (shift, steps, marks)
  }
}

extension Title: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(text: text) }
}

private let linked = Title(text: "A", url: "https://example.org/a.jpg")
private let withExtras = Title(text: "A", extras: [.init(key: "adw_ad", value: "true")])

private let scripts = [
  Script(
    "a title of the upstream is marked in front of the packet that it came with",
    .packets(2), .upstream("A"), .packets(3), .upstream("B"), marks: "2 A", "5 B"),
  Script(
    "the upstream's title said again is no mark",
    .upstream("A"), .packets(1), .upstream("A"), marks: "0 A"),
  Script(
    "the upstream's title said again does not end an announced one",
    .upstream("A"), .packets(1), .announced("X"), .packets(1), .upstream("A"),
    marks: "0 A", "1 X"),
  Script(
    "another title of the upstream ends an announced one",
    .upstream("A"), .announced("X"), .packets(1), .upstream("B"), marks: "0 A", "0 X", "1 B"),
  Script(
    "a title that looks the same is marked and is no news",
    .upstream("A"), .packets(1), .upstream(withExtras), marks: "0 A", "1 A ="),
  Script(
    "a title that looks the same does not end an announced one",
    .upstream("A"), .announced("X"), .packets(1), .upstream(withExtras), marks: "0 A", "0 X"),
  Script(
    "another source ends what the one before said, and may say it again",
    .upstream("A"), .packets(1), .speakerChanges, .packets(1), .upstream("A"),
    marks: "0 A", "1 ", "2 A"),
  Script(
    "another source ends what a request said for the one before, and a third one that of the second",
    .requested("A"), .packets(1), .speakerChanges, .packets(1), .requested("B"), .packets(1),
    .speakerChanges, .packets(1), .speakerChanges, marks: "0 A", "1 ", "2 B", "3 "),
  Script(
    "another source leaves a title by hand, until it says its own",
    .upstream("A"), .packets(1), .announced("X"), .packets(1), .speakerChanges, .packets(1),
    .upstream("A"), marks: "0 A", "1 X", "3 A"),
  Script(
    "another source leaves a page's title",
    .upstream("A"), .page("P"), .packets(1), .speakerChanges, marks: "0 A", "0 P"),
  Script(
    "another source without any title before it is no mark", .packets(1), .speakerChanges,
    .packets(1)),
  Script(
    "an announcement of what is current is no mark",
    .announced("A"), .packets(1), .announced("A"), marks: "0 A"),
  Script(
    "the page says again what it said: no mark, also behind the upstream's next",
    .page("A"), .packets(1), .upstream("B"), .page("A"), marks: "0 A", "1 B"),
  Script(
    "the page says what the upstream has said: no mark",
    .upstream("A"), .page("A"), marks: "0 A"),
  Script(
    "the page adds a picture to what the upstream has said",
    .upstream("A"), .packets(1), .page(linked), marks: "0 A", "1 A"),
  Script(
    "the upstream takes nothing away of what the page has shown",
    .page(linked), .packets(1), .upstream("A"), marks: "0 A"),
  Script(
    "while the page counts, the upstream's are not marked; behind that its last one is",
    .pageCounts(true), .upstream("A"), .page("P"), .packets(1), .upstream("B"), .packets(1),
    .pageCounts(false), .packets(1), .pageCounts(false), marks: "0 P", "2 B"),
  Script(
    "behind a page that counted, what it said is news again",
    .upstream("A"), .pageCounts(true), .page("P"), .pageCounts(false), .packets(1), .page("P"),
    marks: "0 A", "0 P", "0 A", "1 P"),
  Script(
    "an early title waits for its packet", shift: 2,
    .packets(1), .upstream("A"), .packets(1), .upstream("B"), .packets(5), marks: "3 A", "4 B"),
  Script(
    "a late title goes back to its packet", shift: -2,
    .packets(5), .upstream("A"), .packets(5), .upstream("B"), marks: "3 A", "8 B"),
  Script(
    "a late title stays behind the newest mark", shift: -3,
    .packets(5), .upstream("A"), .upstream("B"), .upstream("C"), .upstream("D"),
    marks: "2 A", "3 B", "4 C", "5 D"),
  Script(
    "announcements are shifted as well", shift: 2,
    .announced("A"), .packets(5), marks: "2 A"),
]

extension Script.Step {
  fileprivate static func upstream(_ texts: Range<Int>) -> [Self] {
    texts.map { .upstream(Title(text: "\($0)")) }
  }
}

/// A log that keeps nothing but where its end and its newest title are.
private struct Log {
  var track: TitleTrack
  private(set) var marks: [String] = []
  private var packets = 0
  private var newest: UInt64?
  private var awaitsPacket = false

  init(_ track: TitleTrack) { self.track = track }

  mutating func run(_ steps: [Script.Step]) { for step in steps { run(step) } }

  private mutating func run(_ step: Script.Step) {
    switch step {
    case .packets(let count): for _ in 0..<count { append() }
    case .upstream(let title): write(track.hear(title, from: .upstream, at: end))
    case .page(let title): write(track.hear(title, from: .page, at: end))
    case .announced(let title): write(track.hear(title, from: .hand, at: end))
    case .requested(let title): write(track.hear(title, from: .request, at: end))
    case .speakerChanges: write(track.speakerChanges(at: end))
    case .pageCounts(let counts): write(track.overrule(counts, at: end))
    }
  }

  private mutating func append() {
    for mark in track.packetComes(at: end) { write(mark) }
    if awaitsPacket { newest = end.next.position }
    awaitsPacket = false
    packets += 1
  }

  private mutating func write(_ mark: TitleTrack.Mark?) {
    guard let mark else { return }
    if mark.point == end.next { awaitsPacket = true } else { newest = mark.point.position }
    marks.append("\(mark.point.position / 100) \(mark.title.text)" + (mark.isNews ? "" : " ="))
  }

  private var end: TitleTrack.LogEnd {
    TitleTrack.LogEnd(
      next: LogPoint(
        position: UInt64(packets * 100), media: MediaTime(seconds: Double(packets))),
      newestTitle: newest)
  }
}

@Suite struct TitleTrackTests {
  @Test(arguments: scripts)
  fileprivate func `titles of every origin are marked where they belong`(script: Script) {
    var log = Log(TitleTrack(shiftSeconds: script.shift))
    log.run(script.steps)
    #expect(log.marks == script.marks)
  }

  @Test func `the newest of too many titles is marked when a second has passed`() {
    var log = Log(TitleTrack(shiftSeconds: 0))
    log.run(Script.Step.upstream(0..<70) + [.packets(3)])
    #expect(log.marks == (0..<64).map { "0 \($0)" } + ["1 69"])
  }

  @Test func `an announcement ends the upstream's titles that wait`() {
    var log = Log(TitleTrack(shiftSeconds: 0))
    log.run(Script.Step.upstream(0..<70) + [.announced("X"), .packets(3)])
    #expect(log.marks.suffix(2) == ["0 63", "0 X"])
  }

  @Test func `titles that wait for their packet are marked before the newest of too many`() {
    var log = Log(TitleTrack(shiftSeconds: 1))
    log.run(Script.Step.upstream(0..<70) + [.packets(4)])
    #expect(log.marks.suffix(2) == ["1 63", "2 69"])
  }

  @Test func `a new worker goes on with the titles that were said, and asks its own page`() {
    var before = Log(TitleTrack(shiftSeconds: 0))
    before.run([.upstream("A"), .pageCounts(true), .page("P"), .packets(1)])
    var track = TitleTrack(shiftSeconds: 0)
    track.recall(before.track)
    #expect(!track.isOverruled)
    var log = Log(track)
    log.run([.upstream("A"), .page("P"), .upstream("B")])
    #expect(log.marks == ["0 B"])
  }

  private static func mark(_ title: Title, at position: UInt64) -> TitleMark {
    TitleMark(position: position, media: .zero, title: title, air: .epoch)
  }

  @Test func `the log's last title counts as the upstream's`() {
    var track = TitleTrack(shiftSeconds: 0)
    track.recall([Self.mark("B", at: 500), Self.mark("A", at: 100)])
    var log = Log(track)
    log.run([.upstream("B"), .packets(1), .upstream("A")])
    #expect(log.marks == ["1 A"])
  }

  @Test func `the title before the newest is old where the newest is in what is known`() {
    var track = TitleTrack(shiftSeconds: 0)
    track.recall([Self.mark("B", at: 500), Self.mark("A", at: 100)])
    #expect(track.isOld("A", bytes: 300, before: 700))
    #expect(!track.isOld("A", bytes: 200, before: 700))
    #expect(!track.isOld("B", bytes: 300, before: 700))
    track.recall([Self.mark("B", at: 500)])
    #expect(!track.isOld("A", bytes: 300, before: 700))
  }
}
