import TestSupport
import Testing

/// The rules find what they are for: each text has one fault.
@Suite struct HLSPlaylistRulesTests {
  private typealias Rule = PlaylistRules.Rule

  private static let control =
    "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=36.0,CAN-SKIP-DATERANGES=YES,HOLD-BACK=18.0\n"
  private static let title =
    "#EXT-X-DATERANGE:ID=\"t1\",CLASS=\"title\",START-DATE=\"2026-11-22T06:00:00.000Z\",END-ON-NEXT=YES,X-TITLE=\"a\"\n"
  private static let date = "#EXT-X-PROGRAM-DATE-TIME:2026-11-22T06:00:00.000Z\n"
  private static let sound =
    "#EXTM3U\n#EXT-X-VERSION:9\n#EXT-X-TARGETDURATION:6\n" + control
    + "#EXT-X-INDEPENDENT-SEGMENTS\n#EXT-X-MEDIA-SEQUENCE:5\n#EXT-X-DISCONTINUITY-SEQUENCE:2\n"
    + title + date
    + "#EXTINF:6.00000,\na/5.mp3\n#EXTINF:6.00000,\na/6.mp3\n#EXTINF:6.00000,\na/7.mp3\n"
    + "#EXTINF:6.00000,\na/8.mp3\n"
  private static let finished =
    "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:0\n"
    + "#EXT-X-DISCONTINUITY-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:VOD\n"
    + "#EXT-X-START:TIME-OFFSET=1.500,PRECISE=YES\n#EXT-X-MAP:URI=\"a/init-0.mp4\"\n" + date
    + "#EXTINF:6.00000,\na/0.m4s\n#EXT-X-ENDLIST\n"
  private static let multivariant =
    "#EXTM3U\n#EXT-X-VERSION:9\n#EXT-X-STREAM-INF:BANDWIDTH=141000,AVERAGE-BANDWIDTH=131000,CODECS=\"mp4a.40.34\"\n"
    + "main.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=71000,AVERAGE-BANDWIDTH=66000,CODECS=\"mp4a.40.34\"\nb.m3u8\n"

  private func rules(_ text: String) -> Set<PlaylistRules.Rule> {
    Set(PlaylistRules.violations(of: Array(text.utf8)).map(\.rule))
  }

  @Test func `sound playlists keep all rules`() {
    for text in [Self.sound, Self.finished, Self.multivariant] {
      let violations = PlaylistRules.violations(of: Array(text.utf8))
      #expect(violations.isEmpty, "\(violations)")
    }
  }

  private struct Fault: Sendable {
    var rule: PlaylistRules.Rule
    var text: String

    /// The text with one thing in it replaced.
    init(_ rule: PlaylistRules.Rule, _ text: String, _ old: String, _ new: String) {
      precondition(text.contains(old), old)
      self.rule = rule
      let place = text.firstRange(of: old)!
      self.text = text[..<place.lowerBound] + new + text[place.upperBound...]
    }
  }

  private static let long =
    sound + (9...14).map { "#EXTINF:6.00000,\na/\($0).mp3\n" }.joined()

  private static let faults: [Fault] = [
    Fault(.text, sound, "#EXTM3U\n", ""), Fault(.text, sound, "#EXTM3U\n", "\u{FEFF}#EXTM3U\n"),
    Fault(.text, sound, "X-TITLE=\"a\"", "X-TITLE=\"\u{1}\""),
    Fault(.text, sound, "X-TITLE=\"a\"", "X-TITLE=\"\u{9F}\""),
    Fault(.text, sound, "X-TITLE=\"a\"", "X-TITLE=\"\u{2028}\""),
    Fault(.text, sound, "X-TITLE=\"a\"", "X-TITLE=\"e\u{301}\""),
    Fault(.text, sound, "a/8.mp3\n", "a/8.mp3"),
    Fault(.tag, sound, "#EXT-X-INDEPENDENT", "#EXT-X-INDEPENDANT"),
    Fault(.tag, sound, control, control + control),
    Fault(.tag, sound, "a/5.mp3\n", "a/5.mp3\n#EXT-X-SKIP:SKIPPED-SEGMENTS=1\n"),
    Fault(.tag, sound, date, date + "#EXT-X-DISCONTINUITY-SEQUENCE:2\n"),
    Fault(.attribute, sound, "X-TITLE=\"a\"", "X-TITLE=\"a"),
    Fault(.attribute, sound, "X-TITLE=\"a\"", "X-TITLE=\"a\"b\""),
    Fault(.attribute, sound, "X-TITLE=\"a\"", "x-title=\"a\""),
    Fault(.attribute, sound, "X-TITLE=\"a\"", "X-TITLE=\"a\",X-TITLE=\"b\""),
    Fault(.attribute, sound, "X-TITLE=\"a\"", "X-TITLE=\"a\","),
    Fault(.attribute, sound, "X-TITLE=\"a\"", "X-TITLE=\"a\", X-URL=\"b\""),
    Fault(.address, sound, "a/5.mp3", "a/5 .mp3"), Fault(.address, sound, "a/6.mp3", "a/5.mp3"),
    Fault(.segment, sound, "#EXTINF:6.00000,\na/6.mp3", "a/6.mp3"),
    Fault(.segment, sound, "#EXTINF:6.00000,\na/6", "#EXTINF:6.0.0,\na/6"),
    Fault(.segment, sound, "#EXTINF:6.00000,\na/6", "#EXTINF:6.00000\na/6"),
    Fault(.segment, sound, "#EXTINF:6.00000,\na/6", "#EXTINF:-6.00000,\na/6"),
    Fault(.segment, sound, "a/7.mp3\n", "a/7.mp3\n#EXTINF:6.00000,\n"),
    Fault(.segment, sound, "a/8.mp3\n", "a/8.mp3\n#EXT-X-DISCONTINUITY\n"),
    Fault(.version, sound, "VERSION:9", "VERSION:2"),
    Fault(.version, finished, "VERSION:7", "VERSION:5"),
    Fault(
      .version, long, title, "#EXT-X-SKIP:SKIPPED-SEGMENTS=1,RECENTLY-REMOVED-DATERANGES=\"\"\n"),
    Fault(.target, sound, "#EXTINF:6.00000,\na/6", "#EXTINF:6.50000,\na/6"),
    Fault(.number, sound, "#EXT-X-MEDIA-SEQUENCE:5\n", ""),
    Fault(.number, sound, "SEQUENCE:5\n", "SEQUENCE:2147483648\n"),
    Fault(.number, sound, "DISCONTINUITY-SEQUENCE:2", "DISCONTINUITY-SEQUENCE:-1"),
    Fault(.control, sound, "CAN-SKIP-UNTIL=36.0", "CAN-SKIP-UNTIL=35.9"),
    Fault(.control, sound, "HOLD-BACK=18.0", "HOLD-BACK=17.9"),
    Fault(.control, sound, "CAN-SKIP-UNTIL=36.0,", ""),
    Fault(.control, sound, "CAN-BLOCK-RELOAD=YES", "CAN-BLOCK-RELOAD=NO"),
    Fault(.date, sound, date, date.replacing("06:00:00.000Z", with: "06:00:00")),
    Fault(.date, finished, date, ""),
    Fault(.range, sound, "ID=\"t1\",", ""), Fault(.range, sound, "CLASS=\"title\",", ""),
    Fault(.range, sound, "START-DATE=\"2026-11-22T06:00:00.000Z\",", ""),
    Fault(.range, sound, "X-TITLE", "DURATION=5,X-TITLE"), Fault(.range, sound, "X-TITLE", "TITLE"),
    Fault(.range, sound, title, title + title),
    Fault(.range, sound, "X-TITLE=\"a\"", "X-TITLE=\"\(String(repeating: "a", count: 1001))\""),
    Fault(.map, finished, "#EXT-X-MAP:URI=\"a/init-0.mp4\"\n", ""),
    Fault(.map, sound, "a/5.mp3", "a/5.ts"),
    Fault(.start, finished, "TIME-OFFSET=1.500", "TIME-OFFSET=-6.001"),
    Fault(.start, finished, "TIME-OFFSET=1.500,", ""),
    Fault(.start, finished, "PRECISE=YES", "PRECISE=yes"),
    Fault(.end, finished, "#EXT-X-ENDLIST\n", ""),
    Fault(.end, finished, "#EXT-X-PLAYLIST-TYPE:VOD\n", "#EXT-X-PLAYLIST-TYPE:VOD\n" + control),
    Fault(.end, finished, "TYPE:VOD", "TYPE:LIVE"),
    Fault(.end, finished, "#EXT-X-ENDLIST\n", "#EXT-X-ENDLIST\n" + title),
    Fault(.skip, long, title, "#EXT-X-SKIP:SKIPPED-SEGMENTS=0\n"),
    Fault(.skip, sound, title, "#EXT-X-SKIP:SKIPPED-SEGMENTS=1\n"),
    Fault(.skip, finished, "#EXT-X-MAP", "#EXT-X-SKIP:SKIPPED-SEGMENTS=1\n#EXT-X-MAP"),
    Fault(.variant, multivariant, "BANDWIDTH=141000,", ""),
    Fault(.variant, multivariant, "AVERAGE-BANDWIDTH=131000", "AVERAGE-BANDWIDTH=151000"),
    Fault(.variant, multivariant, ",CODECS=\"mp4a.40.34\"", ""),
    Fault(.variant, multivariant, "main.m3u8\n", ""),
    Fault(.variant, multivariant, "b.m3u8", "main.m3u8"),
    Fault(.variant, multivariant, "main.m3u8\n", "main.m3u8\nc.m3u8\n"),
  ]

  @Test func `each fault of one playlist is found by its rule`() {
    for fault in Self.faults {
      #expect(rules(fault.text).contains(fault.rule), "\(fault.rule): \(fault.text)")
    }
  }

  // MARK: Changes

  /// A list of pieces of 6 s from a number on.
  private static func list(
    from first: Int, count: Int = 4, breaks: Int = 2, skipping skipped: Int = 0
  ) -> String {
    let head = sound.replacing("MEDIA-SEQUENCE:5", with: "MEDIA-SEQUENCE:\(first)")
      .replacing("DISCONTINUITY-SEQUENCE:2", with: "DISCONTINUITY-SEQUENCE:\(breaks)")
      .split(separator: title)[0].description
    let skip = skipped > 0 ? "#EXT-X-SKIP:SKIPPED-SEGMENTS=\(skipped)\n" : ""
    let start = first + skipped - 5
    let dated = date.replacing(
      "06:00:00", with: "06:0\(start / 10):\((start % 10 * 6).description.leftPadded)")
    return head + skip + title + dated
      + (first + skipped..<first + count).map { "#EXTINF:6.00000,\na/\($0).mp3\n" }.joined()
  }

  private func changes(_ texts: [String], lost: Int = 0) -> Set<PlaylistRules.Rule> {
    var history = PlaylistHistory()
    var found: [PlaylistRules.Violation] = []
    for text in texts { found += history.add(Array(text.utf8), lost: lost) }
    return Set(found.map(\.rule))
  }

  @Test func `a list that moves keeps all rules`() {
    #expect(changes([Self.list(from: 5), Self.list(from: 5, count: 5), Self.list(from: 7)]) == [])
    #expect(
      changes([Self.list(from: 5, count: 9), Self.list(from: 6, count: 9, skipping: 3)]) == [])
    #expect(changes([Self.finished, Self.finished]) == [])
  }

  private static let changeFaults: [(PlaylistRules.Rule, [String])] = [
    (.numberBack, [list(from: 6), list(from: 5)]),
    (.numberBack, [list(from: 5, count: 5), list(from: 5, count: 4)]),
    (.discontinuityBack, [list(from: 5), list(from: 6, breaks: 1)]),
    (
      .targetChange,
      [
        list(from: 5),
        list(from: 5).replacing("TARGETDURATION:6", with: "TARGETDURATION:10")
          .replacing("36.0", with: "60.0").replacing("18.0", with: "30.0"),
      ]
    ),
    (.changed, [list(from: 5), list(from: 5).replacing("a/6.mp3", with: "b/6.mp3")]),
    (
      .changed,
      [list(from: 5), list(from: 5).replacing("6.00000,\na/8", with: "5.99999,\na/8")]
    ),
    (
      .changed,
      [list(from: 5), list(from: 5).replacing("06:00:00.000Z\n", with: "06:00:00.003Z\n")]
    ),
    (
      .changed,
      [
        list(from: 5),
        list(from: 5).replacing("#EXTINF:6.00000,\na/8", with: "#EXT-X-GAP\n#EXTINF:6.00000,\na/8"),
      ]
    ),
    (.changed, [list(from: 5), list(from: 5, breaks: 3)]),
    (.changed, [list(from: 5), list(from: 6, breaks: 3)]),
    (
      .changed,
      [finished, finished.replacing("a/0.m4s", with: "a/0.m4s\n#EXTINF:1.00000,\na/1.m4s")]
    ),
    (.changed, [finished, finished.replacing("init-0", with: "init-1")]),
    (.renamed, [list(from: 5), list(from: 6).replacing("a/9.mp3", with: "a/5.mp3")]),
    (
      .rangeChanged,
      [list(from: 5), list(from: 6).replacing("X-TITLE=\"a\"", with: "X-TITLE=\"b\"")]
    ),
    (.tooShort, [list(from: 5), list(from: 7, count: 2)]),
    (.resurrected, [list(from: 5), list(from: 7), list(from: 4, count: 6)]),
    (.unmerged, [list(from: 5, count: 9, skipping: 3)]),
    (.unmerged, [list(from: 5, count: 4), list(from: 8, count: 9, skipping: 3)]),
  ]

  @Test func `each fault of a change is found by its rule`() {
    for (rule, texts) in Self.changeFaults {
      #expect(changes(texts).contains(rule), "\(rule): \(texts.last ?? "")")
    }
  }

  @Test func `what a kill took may come again with another address, and no more than that`() {
    let before = Self.list(from: 5, count: 5)
    let lost = Self.list(from: 5, count: 4)
    let again = before.replacing("a/9.mp3", with: "b/9.mp3")
    #expect(changes([before, lost, again], lost: 1) == [])
    #expect(changes([before, again], lost: 1) == [])
    #expect(changes([before, again.replacing("a/8.mp3", with: "b/8.mp3")], lost: 1) == [.changed])
  }

  @Test func `qualities that differ in more than their addresses are found`() {
    let one = Self.list(from: 5)
    func unequal(_ other: String) -> Bool {
      let texts = [one, other].map { Array($0.utf8) }
      return PlaylistRules.violations(ofVariants: texts).contains { $0.rule == .unequal }
    }
    let other = one.replacing("a/", with: "b/")
    #expect(!unequal(other))
    #expect(
      !unequal(other.replacing("#EXTINF:6.00000,\nb/8", with: "#EXT-X-GAP\n#EXTINF:6.00000,\nb/8")))
    #expect(unequal(other.replacing("6.00000,\nb/8", with: "5.99000,\nb/8")))
    #expect(unequal(other.replacing("06:00:00.000Z\n", with: "06:00:01.000Z\n")))
    #expect(unequal(other.replacing("DISCONTINUITY-SEQUENCE:2", with: "DISCONTINUITY-SEQUENCE:3")))
    #expect(unequal(other.replacing("X-TITLE=\"a\"", with: "X-TITLE=\"c\"")))
    #expect(unequal(other.replacing("TARGETDURATION:6", with: "TARGETDURATION:7")))
  }
}

extension String {
  fileprivate var leftPadded: String { count < 2 ? "0" + self : self }
}
