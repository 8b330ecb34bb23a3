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
    guard 1...tokenMax ~= token.count, token.allSatisfy(isOfToken) else { return nil }
    return String(Substring(token))
  }

  /// Base64url (RFC 4648, section 5).
  private static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
