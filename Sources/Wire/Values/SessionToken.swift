/// The name a client gives its listening session: whoever knows it has the control.
public struct SessionToken: Hashable, Sendable, CustomStringConvertible {
  /// 8 to 64 of A–Z, a–z, 0–9, `-` and `_`.
  public let text: String

  /// nil: not of that shape.
  public init?(_ text: String) {
    guard (8...64).contains(text.utf8.count), text.utf8.allSatisfy(Self.isPart) else { return nil }
    self.text = text
  }

  public var description: String { text }

  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
