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
  ///
  /// - Parameter isOptional: whether there is something for everybody as well.
  func refusal(at path: String, isOptional: Bool = false) -> APIError {
    if token.isEmpty {
      return APIError(
        403, "admin-off",
        "Administration over TCP is off; set admin.token, or use the Unix socket.")
    }
    let words =
      isOptional
      ? "This is not the admin token; send the right one, or none for what everybody may see."
      : "Send the admin token as a Bearer token."
    let isOurs = path.utf8.split(separator: UInt8(ascii: "/")).first?.elementsEqual("api".utf8)
    return Self.unauthorized(words, offering: isOurs == true ? "Bearer" : "Bearer, Basic")
  }

  /// Why somebody may not say what plays: the same words whether a station is there, and whether it takes sources.
  func refusalToAnnounce(isWrong: Bool) -> APIError {
    let words =
      switch (isWrong, token.isEmpty) {
      case (true, true): "This is not the station's source password."
      case (true, false): "This is neither the station's source password nor the admin token."
      case (false, true): "Send the station's source password."
      case (false, false): "Send the station's source password, or the admin token."
      }
    return Self.unauthorized(words, offering: "Bearer, Basic")
  }

  private static func unauthorized(_ words: String, offering schemes: String) -> APIError {
    var error = APIError(401, "unauthorized", words)
    error.headers["WWW-Authenticate"] = "\(schemes) realm=\"Longwave\""
    return error
  }

  private func matches(_ secret: [UInt8]) -> Bool { Self.areEqual(secret, token) }

  /// In constant time. An empty secret is none.
  static func areEqual(_ given: [UInt8], _ secret: String) -> Bool {
    !secret.isEmpty && OpenSSL.equalInConstantTime(given, Array(secret.utf8))
  }

  /// The Bearer token, or Basic's password with any user (RFC 6750, RFC 7617).
  static func secret(in fields: HTTPFields) -> [UInt8]? {
    guard let value = bearer(in: fields) else { return BasicCredentials(fields)?.password }
    return Array(value.utf8)
  }

  static func hasBearer(_ fields: HTTPFields) -> Bool { bearer(in: fields) != nil }

  private static func bearer(in fields: HTTPFields) -> Substring? {
    guard let value = fields["Authorization"], let blank = value.utf8.firstIndex(of: 0x20),
      value[..<blank].lowercased() == "bearer"
    else { return nil }
    return value[blank...].drop { $0 == " " }
  }
}
