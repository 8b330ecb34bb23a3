import Testing

@testable import Longwave
@testable import LongwaveAdmin

@Suite struct TerminalTextTests {
  @Test(arguments: [
    ("", 0), ("jazz", 4), ("café", 4), ("cafe\u{301}", 4), ("日本", 4), ("한국", 4), ("ＡＢ", 4),
    ("🎵", 2), ("👨‍👩‍👧", 2), ("🇫🇷", 2), ("❤️", 2), ("❤", 1), ("é̂", 1), ("a\u{200D}", 1), ("…–", 2),
  ])
  func `a text takes the columns that a terminal gives it`(text: String, width: Int) {
    #expect(TerminalText.width(text) == width)
  }

  @Test(arguments: [
    ("jazz", 4, "jazz"), ("jazzy", 4, "jaz…"), ("日本のラジオ", 5, "日本…"), ("日本のラジオ", 4, "日…"),
    ("cafe\u{301}s", 4, "caf…"), ("🎵🎵", 3, "🎵…"), ("ab", 1, "…"), ("ab", 0, ""),
  ])
  func `a text is shortened between what is seen as one`(text: String, to: Int, result: String) {
    #expect(TerminalText.shortened(text, to: to) == result)
    #expect(TerminalText.width(result) <= to)
  }

  @Test(arguments: [
    ("plain – ünï 日本 👨‍👩‍👧", "plain – ünï 日本 👨‍👩‍👧"), ("\u{1B}]0;owned\u{7}", "�]0;owned�"),
    ("a\r\nb\tc", "a  b c"), ("\u{9B}31m", "�31m"), ("\u{202E}gpj", "�gpj"),
    ("a\u{2028}b\u{7F}", "a b�"),
  ])
  func `a text cannot command the terminal`(text: String, result: String) {
    #expect(TerminalText.safe(text) == result)
  }

  @Test func `lines stay where they are wanted`() {
    #expect(TerminalText.safe("a\nb\u{1B}", keepingLines: true) == "a\nb�")
  }

  private var table: Table {
    var table = Table([.id(), .figure("LISTENERS", rank: 1), .text("NOW PLAYING", rank: 2)])
    table.add(["jazz", "7", "Miles Davis – So What\u{1B}[2J"])
    table.add(["日本のラジオ", "1200", "x"])
    return table
  }

  @Test func `a table for programs has every cell whole`() {
    #expect(
      table.text(width: nil) == """
        ID            LISTENERS  NOW PLAYING
        jazz                  7  Miles Davis – So What�[2J
        日本のラジオ       1200  x
        """)
  }

  @Test(arguments: 20...80)
  func `a table in a terminal is no wider than it, and shortens no id`(width: Int) {
    let lines = table.text(width: width).split(separator: "\n").map(String.init)
    #expect(lines.count == 3)
    #expect(lines.allSatisfy { TerminalText.width($0) <= width })
    #expect(lines[2].hasPrefix("日本のラジオ"))
    // What is playing is shortened before figures go.
    #expect(lines[2].contains("1200") == (width >= 12 + 2 + 9 + 2 + 8))
    if width < 50 { #expect(lines[1].hasSuffix("…")) }
  }

  @Test func `a long id that leaves no room stands on a line of its own`() {
    var table = Table([.id(), .state(rank: 9), .text("NOW PLAYING", rank: 6)])
    table.add(["a-very-long-station-identifier-indeed", "playing", "So What"])
    #expect(
      table.text(width: 40) == """
        ID
          STATE    NOW PLAYING
        a-very-long-station-identifier-indeed
          \(TerminalText.Color.green.marking("playing"))  So What
        """)
  }

  @Test func `a state has a colour only where the terminal has, and a title has none`() {
    var table = Table([.id(), .state(), .text("NOW PLAYING")])
    table.add(["jazz", "playing", "playing \(TerminalText.Color.red.marking("x"))"])
    let line = table.text(width: 80).split(separator: "\n").last.map(String.init) ?? ""
    #expect(TerminalText.width(line) == "jazz  playing  playing ?x?".count)
    let plain = TerminalText.colored(line, hasColors: false)
    #expect(plain == "jazz  playing  playing �x�")
    #expect(
      TerminalText.colored(line, hasColors: true)
        == "jazz  \u{1B}[32mplaying\u{1B}[0m  playing �x�")
  }

  @Test func `long lines are broken between words, and a word that is longer stays whole`() {
    let url = "http://example.org/a/long/path"
    #expect(TextLines.wrapped("a bb \(url) c", to: 8) == ["a bb", url, "c"])
    #expect(
      TextLines.wrapped("name     one two three", to: 14, indent: "  ") == [
        "name     one", "  two three",
      ])
    #expect(TextLines.wrapped("short", to: nil) == ["short"])
  }

  @Test func `people are shown times of their own, and a text that is none stays`() {
    let times = ShownTimes(isUTC: true)
    #expect(times.text("2026-11-20T18:00:00.123Z") == "2026-11-20 18:00:00Z")
    #expect(times.text("2026-11-20T18:00:00.123Z", isExact: true) == "2026-11-20 18:00:00.123Z")
    #expect(times.text("-") == "-" && times.text("17") == "17")
  }
}
