import Testing
import Timeshift

@testable import Ingest

@Suite struct LastWordsTests {
  private let now = MonotonicTime(nanoseconds: 0)

  private func words(_ pieces: String...) -> LastWords {
    var words = LastWords()
    for piece in pieces { _ = words.take(Array(piece.utf8).span, at: now) }
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

  @Test func `only the end is kept, of lines and of bytes`() {
    let many = (0..<10_000).map { "line \($0)\n" }.joined()
    let kept = words(many).text
    #expect(kept.utf8.count <= LastWords.bytesMax && kept.hasSuffix("\nline 9999"))
    #expect(words(String(repeating: "x", count: 100_000)).text.utf8.count <= LastWords.bytesMax)
    let damaged = [UInt8](repeating: 0xFF, count: 100_000)
    var words = LastWords()
    for _ in 0..<10 { _ = words.take((damaged + [10]).span, at: now) }
    #expect(words.text.utf8.count <= LastWords.bytesMax)
  }

  @Test func `some lines a second are told, and later how many were not`() {
    var words = LastWords()
    let told = words.take(Array((0..<100).map { "\($0)\n" }.joined().utf8).span, at: now)
    #expect(told == (0..<10).map { "\($0)" })
    let later = words.take(Array("a\nb\n".utf8).span, at: now.adding(1))
    #expect(later == ["(90 lines left out) a", "b"])
  }
}
