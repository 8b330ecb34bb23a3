import Reactor
import Server
import Wire

/// Decides who is an administrator.
struct AdminAccess: Sendable {
  /// Empty: nobody over TCP.
  let token: String

  /// Whether a password is the admin token.
  func isToken(_ password: [UInt8]) -> Bool { matches(password) }

  /// Why a request that needs an administrator is refused.
  ///
  /// What Icecast has, its tools ask for by Basic. Below `/api/` only Bearer is offered: a browser never sends that on its
  /// own, for whichever page.
  func refusal(at path: String) -> APIError {
    if token.isEmpty {
      return APIError(
        403, "admin-off",
        "Administration over TCP is off; set admin.token, or use the Unix socket.")
    }
    var error = APIError(401, "unauthorized", "Send the admin token as a Bearer token.")
    let isOurs = path.utf8.split(separator: UInt8(ascii: "/")).first?.elementsEqual("api".utf8)
    error.headers["WWW-Authenticate"] =
      isOurs == true ? "Bearer realm=\"Longwave\"" : "Bearer, Basic realm=\"Longwave\""
    return error
  }

  private func matches(_ secret: [UInt8]) -> Bool { Self.areEqual(secret, token) }

  /// In constant time. An empty secret is none.
  static func areEqual(_ given: [UInt8], _ secret: String) -> Bool {
    !secret.isEmpty && OpenSSL.equalInConstantTime(given, Array(secret.utf8))
  }

  /// The Bearer token, or Basic's password with any user (RFC 6750, RFC 7617).
  static func secret(in fields: HTTPFields) -> [UInt8]? {
    guard let value = fields["Authorization"], let blank = value.utf8.firstIndex(of: 0x20) else {
      return nil
    }
    guard value[..<blank].lowercased() == "bearer" else {
      return BasicCredentials(fields)?.password
    }
    return Array(value[blank...].drop { $0 == " " }.utf8)
  }
}
