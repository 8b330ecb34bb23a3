import Longwave
import Wire

// Refusals of requests that lack the needed right.
extension AdminAccess {
  /// Returns the refusal of a request that needs an administrator.
  ///
  /// Icecast's pages offer Basic, because its tools use it. Below `/api/` only Bearer is offered, because a browser
  /// never sends Bearer on its own for any page.
  ///
  /// - Parameter isOptional: Whether the path has a public part as well.
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

  /// Returns the refusal of an announced title. The words do not reveal whether a station exists or takes sources.
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

  /// Returns the refusal of a listener without the password of a station.
  func refusalToHear(_ words: String) -> APIError { Self.unauthorized(words, offering: "Bearer") }

  private static func unauthorized(_ words: String, offering schemes: String) -> APIError {
    var error = APIError(401, "unauthorized", words)
    error.headers["WWW-Authenticate"] = "\(schemes) realm=\"Longwave\""
    return error
  }
}
