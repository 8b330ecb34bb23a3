import Longwave

/// The body of `POST /api/v1/stations/{station}/pass`: a listener's name and password.
enum CredentialsBody {
  /// Most characters of each; a configuration's are shorter.
  private static let lengthMax = 256

  static func credentials(_ json: JSON) throws(APIError) -> BasicCredentials {
    try APIError.requireKnown(json, ["user", "password"])
    let user = try text(json, "user")
    // A colon ends the name where both are sent as one (RFC 7617).
    if user.contains(":") { throw APIError.badField("user", "has a colon; write a name without") }
    return BasicCredentials(user: user, password: Array(try text(json, "password").utf8))
  }

  private static func text(_ json: JSON, _ key: String) throws(APIError) -> String {
    guard case .string(let text)? = json[key], (1...lengthMax).contains(text.utf8.count) else {
      throw APIError.badField(
        key, "is no text of 1 to \(lengthMax) bytes; write what opens the station")
    }
    return text
  }
}
