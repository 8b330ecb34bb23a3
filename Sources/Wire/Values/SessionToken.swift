/// The secret with which a client names and steers its listening session.
public struct SessionToken: Hashable, Sendable, CustomStringConvertible {
  /// The token's text: 8 to 64 of A–Z, a–z, 0–9, `-` and `_`.
  public let text: String

  /// Makes a token; nil for a text of another form.
  public init?(_ text: String) {
    guard (8...64).contains(text.utf8.count), text.utf8.allSatisfy(\.isBase64URL) else {
      return nil
    }
    self.text = text
  }

  public var description: String { text }
}
