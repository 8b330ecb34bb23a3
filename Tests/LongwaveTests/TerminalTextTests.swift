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
    var table = Table(["ID", "LISTENERS", "NOW PLAYING"], right: [1])
    table.add(["jazz", "7", "Miles Davis – So What\u{1B}[2J"])
    table.add(["日本のラジオ", "1200", "x"])
    return table
  }

  @Test func `for programs every cell is whole`() {
    #expect(
      table.text(width: nil) == """
        ID            LISTENERS  NOW PLAYING
        jazz                  7  Miles Davis – So What�[2J
        日本のラジオ       1200  x
        """)
  }

  @Test(arguments: 20...80)
  func `in a terminal no line is wider than it, as far as the figures allow`(width: Int) {
    let lines = table.text(width: width).split(separator: "\n").map(String.init)
    #expect(lines.count == 3)
    #expect(lines.allSatisfy { TerminalText.width($0) <= max(width, 6 + 2 + 9 + 2 + 6) })
    #expect(lines[2].contains("1200"))
    if width < 50 { #expect(lines[1].hasSuffix("…")) }
  }
}
