import Reactor
import Server
import Wire

/// Decides whether a request is an administrator's.
package struct AdminAccess: Sendable {
  /// The admin token; empty when no request over TCP can be an administrator's.
  package let token: String

  /// Whether a password is the admin token.
  package func isToken(_ password: [UInt8]) -> Bool { matches(password) }

  private func matches(_ secret: [UInt8]) -> Bool { Self.areEqual(secret, token) }

  /// Whether a secret was given, compared in constant time. An empty secret is none.
  static func areEqual(_ given: [UInt8], _ secret: String) -> Bool {
    !secret.isEmpty && OpenSSL.equalInConstantTime(given, Array(secret.utf8))
  }

  /// Returns the Bearer token, or Basic's password with any user (RFC 6750, RFC 7617).
  package static func secret(in fields: HTTPFields) -> [UInt8]? {
    guard let value = bearer(in: fields) else { return BasicCredentials(fields)?.password }
    return Array(value.utf8)
  }

  package static func hasBearer(_ fields: HTTPFields) -> Bool { bearer(in: fields) != nil }

  private static func bearer(in fields: HTTPFields) -> Substring? {
    guard let value = fields["Authorization"], let blank = value.utf8.firstIndex(of: 0x20),
      value[..<blank].lowercased() == "bearer"
    else { return nil }
    return value[blank...].drop { $0 == " " }
  }
}
