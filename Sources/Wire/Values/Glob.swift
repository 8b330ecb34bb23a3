/// A pattern for names: `*` matches anything or nothing, `?` one character, any other character itself. The case of
/// ASCII letters does not count.
public struct Glob: Hashable, Sendable {
  public let text: String
  private let pattern: [UInt8]

  public init(_ text: String) {
    self.text = text
    pattern = text.utf8.map(ASCII.lowercased)
  }

  /// Whether the pattern matches a whole name.
  ///
  /// After a mismatch only the last `*` is tried again, with one byte more. So the work is at most the product of both
  /// lengths, never exponential in the number of stars.
  public func matches(_ name: String) -> Bool {
    let name = name.utf8.map(ASCII.lowercased)
    var (at, own) = (0, 0)
    var retry: (at: Int, own: Int)?
    while at < name.count {
      if own < pattern.count, pattern[own] == UInt8(ascii: "*") {
        own += 1
        retry = (at, own)
      } else if own < pattern.count, pattern[own] == UInt8(ascii: "?") {
        at = Self.next(at, in: name)
        own += 1
      } else if own < pattern.count, pattern[own] == name[at] {
        at += 1
        own += 1
      } else if let last = retry {
        retry = (last.at + 1, last.own)
        (at, own) = (last.at + 1, last.own)
      } else {
        return false
      }
    }
    return pattern[own...].allSatisfy { $0 == UInt8(ascii: "*") }
  }

  /// Returns the index after a whole character; bytes that continue a character in UTF-8 begin with the bits 10.
  private static func next(_ index: Int, in name: [UInt8]) -> Int {
    var index = index + 1
    while index < name.count, name[index] & 0xC0 == 0x80 { index += 1 }
    return index
  }
}
