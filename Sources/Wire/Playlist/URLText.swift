/// What must be known of URLs without fetching them.
public enum URLText {
  /// The URL a reference means in a document at `base` (RFC 3986 section 5).
  public static func resolve(_ reference: String, against base: String) -> String {
    URLReference(reference).resolved(against: URLReference(base)).text
  }

  /// The URL without user and password.
  public static func withoutCredentials(_ url: String) -> String {
    strippingUserinfo(URLReference(url)).text
  }

  /// The URL without user, password, query and fragment: for everybody's eyes.
  public static func withoutSecrets(_ url: String) -> String {
    var parts = strippingUserinfo(URLReference(url))
    parts.query = nil
    parts.fragment = nil
    return parts.text
  }

  /// The text with everything escaped but letters, digits and `-._~`, fit for any part of a URL.
  public static func percentEncoded(_ text: some StringProtocol) -> String {
    PercentEncoding.encoded(text.utf8, keeping: PercentEncoding.isUnreserved)
  }

  private static func strippingUserinfo(_ url: URLReference) -> URLReference {
    var url = url
    if let authority = url.authority {
      url.authority = afterLastAt(authority)
      return url
    }
    // user:password@host/path, written without a scheme: curl takes it, and so may people.
    let slash = url.path.utf8.firstIndex(of: UInt8(ascii: "/")) ?? url.path.endIndex
    let head = String(url.path[..<slash])
    guard head.utf8.contains(UInt8(ascii: "@")) else { return url }
    url.path = afterLastAt(head) + url.path[slash...]
    url.scheme = nil
    return url
  }

  private static func afterLastAt(_ authority: String) -> String {
    guard let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) else { return authority }
    return String(Substring(authority.utf8[at...].dropFirst()))
  }
}
