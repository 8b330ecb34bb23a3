/// Answers questions about URLs without fetching them.
public enum URLText {
  /// The most bytes of a URL. Servers accept no longer request lines; a thousand entries of a list share one base,
  /// however long it is.
  public static let bytesMax = 8192

  /// The reason why a line leads to nothing that can be pulled.
  public enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line as written or the whole URL has more than `bytesMax` bytes.
    case tooLong
    case notWeb

    /// The reason, in words that follow "redirected to".
    public var description: String {
      switch self {
      case .tooLong: "an address of more than \(URLText.bytesMax) bytes"
      case .notWeb: "what is neither http nor https"
      }
    }
  }

  /// Returns the URL that a reference means in a document at `base` (RFC 3986 section 5).
  public static func resolve(_ reference: String, against base: String) -> String {
    URLReference(reference).resolved(against: URLReference(base)).text
  }

  /// Returns the `http` or `https` URL that a Location line leads to from `base`.
  ///
  /// Bytes that no URL can have are escaped unchanged. The fragment after a `#` is removed, since it is for browsers.
  public static func redirect(
    to location: [UInt8], from base: String
  ) throws(Problem) -> String {
    let url = try PlaylistEntry.url(of: location[...], base: URLReference(base))
    return String(url.prefix { $0 != "#" })
  }

  /// Whether the scheme is one that players write in place of `http` for streams: SHOUTcast's protocol.
  static func isICY(_ scheme: String) -> Bool { ["icy", "icyx"].contains(scheme.lowercased()) }

  /// Returns the URL with `http` in place of `icy`.
  public static func readingICY(_ url: String) -> String {
    guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")), isICY(String(url[..<colon]))
    else { return url }
    return "http" + url[colon...]
  }

  /// Returns the URL without the blanks around it, and with those behind its host escaped, as lists are read.
  public static func escapingBlanks(_ url: String) -> String {
    let bytes = ASCII.trimmed(Array(url.utf8)[...])
    let blank = UInt8(ascii: " ")
    guard bytes.contains(blank) else { return String(decoding: bytes, as: UTF8.self) }
    var parts = URLReference(String(decoding: bytes, as: UTF8.self))
    func escaped(_ text: String) -> String {
      PercentEncoding.encoded(text.utf8, keeping: { $0 != blank })
    }
    parts.path = escaped(parts.path)
    parts.query = parts.query.map(escaped)
    parts.fragment = parts.fragment.map(escaped)
    return parts.text
  }

  /// Returns the address before the header lines that Kodi's lists write behind one (`URL|Referer=…`); nil where none
  /// are.
  public static func beforeHeaderLines(_ url: String) -> String? {
    let (address, headers) = KodiOptions.split(Array(url.utf8)[...])
    return headers.isEmpty ? nil : String(decoding: address, as: UTF8.self)
  }

  /// Returns the origin of an `http` or `https` URL, in lower case and always with a port; nil for other URLs.
  public static func origin(_ url: String) -> URLOrigin? { URLOrigin(URLReference(url)) }

  /// Returns `target` with the user and password of `url`, unless `target` has its own.
  public static func withCredentials(of url: String, _ target: String) -> String {
    var parts = URLReference(target)
    let at = UInt8(ascii: "@")
    guard let authority = URLReference(url).authority, let end = authority.utf8.lastIndex(of: at),
      let place = parts.authority, !place.utf8.contains(at)
    else { return target }
    parts.authority = authority[...end] + place
    return parts.text
  }

  /// Returns the URL without user and password.
  public static func withoutCredentials(_ url: String) -> String {
    strippingUserinfo(URLReference(url)).text
  }

  /// The path as it is written, without query and fragment.
  public static func path(_ url: String) -> String { URLReference(url).path }

  /// Returns the URL without user, password, query and fragment, so that anyone may see it. `…` stands for what may be
  /// part of a password that lacks an escape.
  public static func withoutSecrets(_ url: String) -> String {
    var parts = strippingUserinfo(URLReference(url))
    parts.query = nil
    parts.fragment = nil
    let (colon, isRooted) = (UInt8(ascii: ":"), parts.path.utf8.first == UInt8(ascii: "/"))
    guard parts.path.utf8.contains(UInt8(ascii: "@")) else { return parts.text }
    if let authority = parts.authority {
      // `http://user:1/word@host/`: the slash ends what looks like host and port.
      let isHost = authority != "…" && URLOrigin.isPlace(authority)
      if isHost, !authority.utf8.contains(colon) { return parts.text }
      parts.authority = "…"
    } else if parts.scheme == nil, isRooted, !parts.path.utf8.contains(colon) {
      return parts.text
    } else if !isRooted {
      parts.scheme = nil
    }
    parts.path = isRooted ? "/…" : "…"
    return parts.text
  }

  /// Returns a link from outside, for pages and players. Empty where the link leads out of the web, as `javascript:`
  /// does; an incomplete URL stays as it is.
  public static func webLink(_ text: String) -> String {
    // Browsers ignore blanks in front of a scheme, and line ends in it.
    let head = text.utf8.filter { $0 >= 32 }.drop { $0 == 32 }.prefix { $0 != UInt8(ascii: "/") }
    guard let colon = head.firstIndex(of: UInt8(ascii: ":")) else { return text }
    let scheme = String(decoding: head[..<colon], as: UTF8.self).lowercased()
    // "www.example.org:8000" and "&song=a:b" have a colon but no scheme.
    let isScheme = scheme.utf8.allSatisfy { isLetter($0) || "0123456789+-".utf8.contains($0) }
    return !isScheme || ["http", "https"].contains(scheme) ? text : ""
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte) }

  /// Returns the text with everything escaped except letters, digits and `-._~`, fit for any part of a URL.
  public static func percentEncoded(_ text: some StringProtocol) -> String {
    PercentEncoding.encoded(text.utf8, keeping: PercentEncoding.isUnreserved)
  }

  private static func strippingUserinfo(_ url: URLReference) -> URLReference {
    var url = url
    if let authority = url.authority {
      let place = afterLastAt(authority)
      // `http://user:pass/word@host/` lacks an escape, so the host cannot be told.
      url.authority = place.isEmpty || URLOrigin.isPlace(place) ? place : "…"
      return url
    }
    // A URL may lack a scheme (user:password@host/path): curl accepts it, and people may write it.
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
