/// Scripts and styles as they are sent.
enum WebSource {
  /// Returns a script or style without the comments that have lines of their own: a third of what a page would load.
  ///
  /// Lines are not told from those inside a text of several lines, so none may begin like a comment there.
  static func withoutComments(_ source: [UInt8]) -> [UInt8] {
    var kept: [UInt8] = []
    kept.reserveCapacity(source.count)
    var isInComment = false
    for line in source.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      var rest = line.drop { $0 == UInt8(ascii: " ") }
      if !isInComment, rest.starts(with: "//".utf8) { continue }
      if isInComment || rest.starts(with: "/*".utf8) {
        // A comment may not end in its own beginning, as in `/*/`.
        guard let end = end(of: isInComment ? rest[...] : rest.dropFirst(2)) else {
          isInComment = true
          continue
        }
        let isWhole = rest[end...].allSatisfy { $0 == UInt8(ascii: " ") }
        // In front of code a comment of one line stays: it is a type.
        if !isInComment, !isWhole {
          rest = line
        } else {
          isInComment = false
          rest = rest[end...]
          if isWhole { continue }
        }
      } else {
        rest = line
      }
      if rest.isEmpty { continue }
      kept += rest
      kept.append(UInt8(ascii: "\n"))
    }
    return kept
  }

  /// Returns the place behind `*/`.
  private static func end(of text: ArraySlice<UInt8>) -> Int? {
    text.indices.dropLast().first { text[$0...].starts(with: "*/".utf8) }.map { $0 + 2 }
  }
}
