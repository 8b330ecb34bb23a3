import Wire

/// Where a certificate authority asks whether this server is the host that somebody wants a certificate for (RFC 8555,
/// section 8.3).
public enum ChallengePath {
  /// The path's beginning, without its slash.
  public static let prefix = ".well-known/acme-challenge/"
  private static let tokenMax = 128

  /// Returns the token that a request asks for; nil for any other request.
  static func token(of head: HTTPRequestHead) -> String? {
    let path = head.path.utf8
    guard head.method == "GET" || head.method == "HEAD", path.first == UInt8(ascii: "/"),
      path.dropFirst().starts(with: prefix.utf8)
    else { return nil }
    let token = path.dropFirst(prefix.utf8.count + 1)
    guard 1...tokenMax ~= token.count, token.allSatisfy(\.isBase64URL) else { return nil }
    return String(Substring(token))
  }
}
