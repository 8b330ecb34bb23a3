import Server

/// The decision about a request with or without a secret.
enum Verdict: Hashable, Sendable {
  case admitted(Right)
  case refused
  /// The secret is not checked for now.
  case tooManyGuesses

  /// The result of checking a secret.
  enum Look: CaseIterable, Sendable { case right, wrong, unread }

  /// Decides about a secret that may be the admin token.
  ///
  /// Bearer is meant for the admin token, so a wrong one is reported. A wrong Basic password is not: a browser sends a
  /// listener's Basic password unasked.
  ///
  /// - Parameter isNeeded: Whether the path has no public part.
  static func ofToken(_ look: Look, isNeeded: Bool, isBearer: Bool) -> Verdict {
    if look == .right { return .admitted(.administrator) }
    guard isNeeded || isBearer else { return .admitted(.stranger) }
    return look == .unread ? .tooManyGuesses : .refused
  }

  /// Decides about a secret that may be the admin token, or the password of a source that announces a title.
  ///
  /// - Parameters:
  ///   - isTokenUnread: Whether the address has tried too many tokens.
  ///   - own: The station whose source has this password; nil without one.
  static func ofAnnouncer(isToken: Bool, isTokenUnread: Bool, own: String?) -> Verdict {
    if isToken, !isTokenUnread { return .admitted(.administrator) }
    if let own { return .admitted(.source(of: own)) }
    return isTokenUnread ? .tooManyGuesses : .refused
  }

  func right(or refusal: @autoclosure () -> APIError) throws(APIError) -> Right {
    switch self {
    case .admitted(let right): return right
    case .refused: throw refusal()
    case .tooManyGuesses: throw GuessLimit.refusal
    }
  }
}
