/// A path without what players hang on to it: one trailing slash, and what SHOUTcast's players append (`/;`,
/// `/;stream.nsv`).
struct AskedPath {
  /// Percent-decoded, beginning with a slash.
  let text: Substring
  /// Whether the path names a stream by SHOUTcast's number, which is in the path or in the query: `/;`, `/stream`,
  /// `/stream/2`.
  let isNumbered: Bool
  /// SHOUTcast's number in the path; nil where the query may have it.
  let number: Substring?

  private static let below = "/stream/"

  init(_ path: String) {
    var text = Substring(path)
    let slash = text.utf8.lastIndex(of: UInt8(ascii: "/"))
    let semicolon = slash.flatMap { text.utf8[$0...].firstIndex(of: UInt8(ascii: ";")) }
    if let semicolon { text = text[..<semicolon] }
    if text.utf8.count > 1, text.utf8.last == UInt8(ascii: "/") {
      text = Substring(text.utf8.dropLast())
    }
    self.text = text
    let hasNumber = text.utf8.starts(with: Self.below.utf8)
    number = hasNumber ? Substring(text.utf8.dropFirst(Self.below.utf8.count)) : nil
    isNumbered = hasNumber || text == "/stream" || (text == "/" && semicolon != nil)
  }
}
