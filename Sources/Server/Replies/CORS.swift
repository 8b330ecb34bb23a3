import Wire

/// Fields that let a script of any web page play, ask and administer (fetch.spec.whatwg.org, section 3.3).
///
/// Every page may: no answer depends on where a page came from. Tokens are sent by scripts that have them, never by the
/// browser on its own.
enum CORS {
  static let anyOrigin = HTTPFields.Field(name: "Access-Control-Allow-Origin", value: "*")

  /// A script sees only the fields of an answer that are named here.
  static let exposed = exposing([])

  private static let known =
    "Age, Date, icy-metaint, icy-br, icy-description, icy-genre, icy-logo, icy-name, icy-pub, icy-url, "
    + "ice-audio-info, Content-Range, ETag, Longwave-Offset, Longwave-Session, Retry-After, "
    + "X-Content-Duration"

  /// Returns the field with further names, such as those of what an upstream says of itself.
  static func exposing(_ further: [String]) -> HTTPFields.Field {
    .init(
      name: "Access-Control-Expose-Headers", value: ([known] + further).joined(separator: ", "))
  }

  /// Returns the answer to a browser's question whether it may send a request.
  static func preflight(allow: String) -> [HTTPFields.Field] {
    [
      .init(name: "Allow", value: allow),
      .init(name: "Access-Control-Allow-Methods", value: allow),
      .init(
        name: "Access-Control-Allow-Headers",
        value: "Authorization, CMCD-Object, CMCD-Request, CMCD-Session, CMCD-Status, Content-Type, "
          + "Icy-MetaData, If-None-Match, If-Range, Last-Event-ID, Range"),
      .init(name: "Access-Control-Max-Age", value: "300"),
    ]
  }
}

/// Field that keeps browsers from taking an answer for something else than it says it is (fetch.spec.whatwg.org,
/// section 3.6).
enum Sniffing {
  static let off = HTTPFields.Field(name: "X-Content-Type-Options", value: "nosniff")
}
