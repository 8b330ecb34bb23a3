/// The identity of an answer's content (RFC 9110, section 8.8.3).
///
/// Longwave's tags are weak: one tag stands for a page in plain and in compressed form.
public struct EntityTag: Hashable, Sendable, CustomStringConvertible {
  /// The text between the quotation marks.
  public let opaque: String

  /// Makes the tag of some content: its FNV-1a hash and its length.
  public init(of content: some Collection<UInt8>) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in content { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    opaque = String(hash, radix: 16) + "-" + String(content.count, radix: 16)
  }

  public init(opaque: String) { self.opaque = opaque }

  public var description: String { "W/\"\(opaque)\"" }

  /// The tag of content that is the same byte for byte.
  public var strong: String { "\"\(opaque)\"" }

  /// Whether `If-None-Match` names this tag, by weak comparison, so that the client has the content. A malformed field
  /// names no tag.
  public func isNamed(in fields: HTTPFields) -> Bool {
    fields.all("If-None-Match").contains { list in
      let tags = Self.tags(in: Array(list.utf8))
      return tags.isAny || tags.list.contains(self)
    }
  }

  /// Reads `*`, or tags separated by commas. A comma may be part of a tag.
  private static func tags(in bytes: [UInt8]) -> (isAny: Bool, list: [EntityTag]) {
    if ASCII.trimmed(bytes[...]).elementsEqual("*".utf8) { return (true, []) }
    var list: [EntityTag] = []
    var rest = bytes[...]
    while true {
      rest = rest.drop { $0 == 32 || $0 == 9 || $0 == UInt8(ascii: ",") }
      if rest.starts(with: "W/".utf8) { rest = rest.dropFirst(2) }
      guard rest.first == UInt8(ascii: "\""),
        let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\""))
      else { return (false, list) }
      list.append(
        EntityTag(opaque: String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)))
      rest = rest[(end + 1)...]
    }
  }
}
