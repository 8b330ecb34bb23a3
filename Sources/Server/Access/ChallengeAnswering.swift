/// Knows the answers to challenges of certificate authorities. The server asks for few at once, and for few of an address.
public protocol ChallengeAnswering: Sendable {
  /// Returns the answer to a token; nil when there is none.
  func answer(to token: String) async -> [UInt8]?
}
