import Foundation
import Server
import Wire

/// Decides who is an administrator.
struct AdminAccess: Sendable {
  /// Empty: nobody over TCP.
  let token: String

  func isAdmin(_ request: APIRequest) -> Bool {
    switch request.origin {
    // Whoever may open the socket (mode 0600) is who started the server, or root.
    case .unixSocket: true
    case .tcp: !token.isEmpty && Self.secret(in: request.head.fields).map(matches) == true
    }
  }

  /// Whether a password is the admin token.
  func isToken(_ password: [UInt8]) -> Bool { matches(password) }

  /// Why a request that needs an administrator is refused.
  var refusal: APIError {
    if token.isEmpty {
      return APIError(
        403, "admin-off",
        "Administration over TCP is off; set admin.token, or use the Unix socket.")
    }
    var error = APIError(401, "unauthorized", "Send the admin token as a Bearer token.")
    error.headers["WWW-Authenticate"] = "Bearer, Basic realm=\"Longwave\""
    return error
  }

  private func matches(_ secret: [UInt8]) -> Bool { Self.areEqual(secret, token) }

  /// In constant time: every byte of what came is looked at, whatever the first ones are. An empty secret is none.
  static func areEqual(_ given: [UInt8], _ secret: String) -> Bool {
    let secret = Array(secret.utf8)
    if secret.isEmpty { return false }
    var difference = UInt8(given.count == secret.count ? 0 : 1)
    for (index, byte) in given.enumerated() {
      difference |= byte ^ secret[index % secret.count]
    }
    return difference == 0
  }

  /// The Bearer token, or Basic's password with any user (RFC 6750, RFC 7617).
  static func secret(in fields: HTTPFields) -> [UInt8]? {
    guard let value = fields["Authorization"], let blank = value.utf8.firstIndex(of: 0x20) else {
      return nil
    }
    let credentials = value[blank...].drop { $0 == " " }
    switch value[..<blank].lowercased() {
    case "bearer": return Array(credentials.utf8)
    case "basic":
      guard let pair = Data(base64Encoded: String(credentials)),
        let colon = pair.firstIndex(of: UInt8(ascii: ":"))
      else { return nil }
      return Array(pair[(colon + 1)...])
    default: return nil
    }
  }
}
