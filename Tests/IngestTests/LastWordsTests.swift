import Testing
import Timeshift

@testable import Ingest

@Suite struct LastWordsTests {
  private let now = MonotonicTime(nanoseconds: 0)

  private func words(_ pieces: String...) -> LastWords {
    var words = LastWords()
    for piece in pieces { _ = words.add(Array(piece.utf8).span, at: now) }
    return words
  }

  @Test(arguments: [
    ("", ""), ("a\nb\n", "a\nb"), ("a\nb", "a\nb"), ("\n\na\n\n", "a"), ("a\r\nb\r\n", "a\nb"),
    ("1%\r2%\r3%\r", "3%"), ("1%\rdone\n", "done"), ("a\u{1B}[31mb\u{7}\n", "a [31mb "),
  ])
  func `lines are kept as a terminal would show them`(written: String, kept: String) {
    #expect(words(written).text == kept)
  }

  @Test func `a line may come in pieces`() { #expect(words("a", "b\nc", "d").text == "ab\ncd") }

  @Test func `a program's last words keep only the end, of lines and of bytes`() {
    let many = (0..<10_000).map { "line \($0)\n" }.joined()
    let kept = words(many).text
    #expect(kept.utf8.count <= LastWords.bytesMax && kept.hasSuffix("\nline 9999"))
    #expect(words(String(repeating: "x", count: 100_000)).text.utf8.count <= LastWords.bytesMax)
    let damaged = [UInt8](repeating: 0xFF, count: 100_000)
    var words = LastWords()
    for _ in 0..<10 { _ = words.add((damaged + [10]).span, at: now) }
    #expect(words.text.utf8.count <= LastWords.bytesMax)
  }

  @Test(arguments: [
    ("", ""), ("a\n\nb\nc", "a\nb\nc"), ("banner\na\nb\nc\n", "a\nb\nc"),
    // Whole lines, or the beginning of the last one.
    ("\(x(210))\na\n\(x(90))\n", "a\n\(x(90))"), ("a\n\(x(500))\n", x(300)),
    ("a\n\(x(300))\n", x(300)), ("a\n\(x(298))\n", "a\n" + x(298)),
    ("ab\n\(x(298))\n", x(298)),
    // The end of a page is none of it.
    ("I am\n  lib 1\n  lib 2\nx.mp3: no such file\n", "x.mp3: no such file"),
    ("a\nb\n  c\n", "a\nb\n  c"), ("a\n  b\n\tc\n  d", "  d"),
  ])
  func `the end says what was wrong`(written: String, summary: String) {
    #expect(words(written).summary == summary)
  }

  private static func x(_ count: Int) -> String { String(repeating: "x", count: count) }

  @Test func `lines not told in their second are told at the end`() {
    var words = LastWords()
    let all = (0..<30).map { "\($0)" }
    let told = words.add(Array((all.joined(separator: "\n") + "\nend").utf8).span, at: now)
    #expect(told + words.popUntold() == all + ["end"])
  }

  @Test func `ten lines a second are told, and later how many were left out`() {
    var words = LastWords()
    let told = words.add(Array((0..<100).map { "\($0)\n" }.joined().utf8).span, at: now)
    #expect(told == (0..<10).map { "\($0)" })
    let later = words.add(Array("a\nb\n".utf8).span, at: now.adding(1))
    #expect(later == ["(90 lines left out) a", "b"])
  }
}
