/// What must be known of URLs without fetching them.
public enum URLText {
  /// Servers take no longer request lines; a thousand entries of a list share one base, however long it is.
  public static let bytesMax = 8192

  /// Why a line leads to nothing that can be pulled.
  public enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// More than `bytesMax`, as written or as a whole URL.
    case tooLong
    case notWeb

    /// In words that follow "redirected to".
    public var description: String {
      switch self {
      case .tooLong: "an address of more than \(URLText.bytesMax) bytes"
      case .notWeb: "what is neither http nor https"
      }
    }
  }

  /// The URL a reference means in a document at `base` (RFC 3986 section 5).
  public static func resolve(_ reference: String, against base: String) -> String {
    URLReference(reference).resolved(against: URLReference(base)).text
  }

  /// The `http` or `https` URL that a Location line leads to from `base`.
  ///
  /// Bytes that no URL can have are escaped as they are; what stands behind a `#` is for browsers.
  public static func redirect(
    to location: [UInt8], from base: String
  ) throws(Problem) -> String {
    let url = try PlaylistEntry.url(of: location[...], base: URLReference(base))
    return String(url.prefix { $0 != "#" })
  }

  /// Scheme, host and port of an `http` or `https` URL, in lower case and with the port always there; nil for another.
  public static func origin(_ url: String) -> URLOrigin? { URLOrigin(URLReference(url)) }

  /// `target` with the user and password of `url`, where it has none itself.
  public static func withCredentials(of url: String, _ target: String) -> String {
    var parts = URLReference(target)
    let at = UInt8(ascii: "@")
    guard let authority = URLReference(url).authority, let end = authority.utf8.lastIndex(of: at),
      let place = parts.authority, !place.utf8.contains(at)
    else { return target }
    parts.authority = authority[...end] + place
    return parts.text
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

  /// A link that somebody else has named, for pages and players; empty where it leads out of the web, as `javascript:`
  /// does. What is no whole URL stays as it is.
  public static func webLink(_ text: String) -> String {
    // Browsers step over blanks in front of a scheme, and over line ends in it.
    let head = text.utf8.filter { $0 >= 32 }.drop { $0 == 32 }.prefix { $0 != UInt8(ascii: "/") }
    guard let colon = head.firstIndex(of: UInt8(ascii: ":")) else { return text }
    let scheme = String(decoding: head[..<colon], as: UTF8.self).lowercased()
    // "www.example.org:8000", "&song=a:b".
    let isScheme = scheme.utf8.allSatisfy { isLetter($0) || "0123456789+-".utf8.contains($0) }
    return !isScheme || ["http", "https"].contains(scheme) ? text : ""
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte) }

  /// The text with everything escaped but letters, digits and `-._~`, fit for any part of a URL.
  public static func percentEncoded(_ text: some StringProtocol) -> String {
    PercentEncoding.encoded(text.utf8, keeping: PercentEncoding.isUnreserved)
  }

  private static func strippingUserinfo(_ url: URLReference) -> URLReference {
    var url = url
    if let authority = url.authority {
      let place = afterLastAt(authority)
      // Of `http://user:pass/word@host/` no more can be told than that somebody has forgotten an escape.
      url.authority = place.isEmpty || URLOrigin.isPlace(place) ? place : "…"
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
