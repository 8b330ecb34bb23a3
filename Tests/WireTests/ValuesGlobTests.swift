import TestSupport
import Testing

@testable import Wire

struct GlobTests {
  @Test(arguments: [
    ("BadBot*", "badbot/1.0", true), ("BadBot*", "a BadBot", false), ("*bot*", "ROBOT", true),
    ("*", "", true), ("", "", true), ("", "a", false), ("a?c", "abc", true), ("a?c", "ac", false),
    ("a?c", "aüc", true), ("a??c", "aüc", false), ("a*b*c", "a--b--c", true),
    ("a*b*c", "a--c--b", false), ("**a**", "bab", true), ("?", "東", true), ("?", "", false),
    ("[a]", "[a]", true), ("[a]", "a", false), ("a.c", "abc", false), ("Ü*", "ü", false),
  ])
  func `a pattern is like some names`(pattern: String, name: String, isLike: Bool) {
    #expect(Glob(pattern).matches(name) == isLike)
  }

  /// By definition, in the time that takes.
  private func isLike(_ pattern: ArraySlice<UInt8>, _ name: ArraySlice<UInt8>) -> Bool {
    guard let first = pattern.first else { return name.isEmpty }
    if first == UInt8(ascii: "*") {
      return isLike(pattern.dropFirst(), name) || !name.isEmpty && isLike(pattern, name.dropFirst())
    }
    return !name.isEmpty && (first == UInt8(ascii: "?") || first == name.first)
      && isLike(pattern.dropFirst(), name.dropFirst())
  }

  @Test func `random globs match as the definition says`() {
    var random = SplitMix(seed: 7)
    for _ in 0..<20_000 {
      let pattern = (0..<random.next() % 7).map { _ in Array("ab*?".utf8)[Int(random.next() % 4)] }
      let name = (0..<random.next() % 8).map { _ in Array("ab".utf8)[Int(random.next() % 2)] }
      let found = Glob(String(decoding: pattern, as: UTF8.self)).matches(
        String(decoding: name, as: UTF8.self))
      #expect(found == isLike(pattern[...], name[...]), "\(pattern) \(name), seed 7")
    }
  }

  @Test func `stars without end cost no more than their number`() {
    let pattern = String(repeating: "*a", count: 120) + "*b"
    #expect(!Glob(pattern).matches(String(repeating: "a", count: 8000)))
  }
}
