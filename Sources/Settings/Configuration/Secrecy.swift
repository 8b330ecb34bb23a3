import Wire

/// Secret part of a key's value.
package enum Secrecy: Sendable {
  case none
  /// User, password, query and fragment of a URL.
  case inURL
  /// Everything but the path of a file, which then holds the secret.
  case besidePath
  case whole

  static let mask = "•••"

  /// Returns a value as it may be shown.
  ///
  /// - Parameter isValid: whether its key accepts it; what is no URL may hold a password anywhere.
  func shown(_ text: String, isValid: Bool) -> String {
    switch self {
    case .none: return Self.mayBeURL(text) ? Self.mask : text
    case .inURL:
      let url = URLText.withoutSecrets(text)
      // A password may hold a slash that nobody has escaped, and then looks like the path.
      if !isValid || url.contains("@") { return Self.mask }
      return url == text ? url : "\(url) \(Self.mask)"
    case .besidePath: return Self.isPath(text) ? text : Self.mask
    case .whole: return Self.mask
    }
  }

  /// Returns a message without what it quotes, if that may be a URL with a password where none is expected.
  package static func withoutURL(_ message: String) -> String {
    guard let begin = message.firstIndex(of: "\""), let end = message.lastIndex(of: "\""),
      begin < end,
      mayBeURL(message[begin...end])
    else { return message }
    return message[...begin] + mask + message[end...]
  }

  /// Whether a text may have a URL with a password or a query in it.
  private static func mayBeURL(_ text: some StringProtocol) -> Bool {
    text.contains("://") && text.contains { "@?#".contains($0) }
  }

  /// Whether a text is an absolute path of a file with an ending, and nothing else; Base64 has no dots.
  private static func isPath(_ text: String) -> Bool {
    let name = text.split(separator: "/").last ?? ""
    return text.first == "/" && name.dropFirst().contains(".")
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-/".contains($0)) }
  }
}
