/// The target of a request: origin-form, absolute-form, or `*` (RFC 9112 section 3.2).
///
/// A path with a `.` or `..` segment is refused, escaped or not. Browsers and curl remove these segments themselves, so
/// a client that sends one is looking for a way out. An escaped slash counts as a slash, because no name of this server
/// has one in it.
struct HTTPTarget {
  let text: String
  let path: String
  let query: HTTPQuery
  /// The host of the absolute-form, without userinfo; nil in the other forms.
  let host: String?

  init(_ bytes: Span<UInt8>, method: String, isTolerant: Bool) throws(HTTPError) {
    text = try Self.checkedText(bytes, isTolerant: isTolerant)
    if text == "*" && method == "OPTIONS" {
      (path, query, host) = ("/", HTTPQuery(), nil)
      return
    }
    var rest = Substring(text).utf8
    host = try Self.readAuthority(&rest)
    let pathEnd = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
    query = HTTPQuery(raw: String(Substring(rest[pathEnd...].dropFirst())))
    path = try Self.decodedPath(rest[..<pathEnd])
  }

  private static func checkedText(
    _ bytes: Span<UInt8>, isTolerant: Bool
  ) throws(HTTPError) -> String {
    for index in bytes.indices {
      let byte = bytes[index]
      guard byte > ASCII.space, byte != UInt8(ascii: "#"), byte < 0x80 || isTolerant else {
        throw .badRequest("The target has a character that must be escaped.")
      }
    }
    // Encoders write titles into a query in their own charset, with and without escapes.
    return PercentEncoding.text(bytes)
  }

  private static func readAuthority(
    _ rest: inout Substring.UTF8View
  ) throws(HTTPError) -> String? {
    if rest.first == UInt8(ascii: "/") { return nil }
    let text = Substring(rest)
    let scheme = ["http://", "https://"].first { scheme in
      ASCII.equalIgnoringCase(Substring(text.utf8.prefix(scheme.utf8.count)), scheme)
    }
    guard let scheme else {
      throw .badRequest("The target is neither a path nor an HTTP URL.")
    }
    rest = rest.dropFirst(scheme.utf8.count)
    let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    rest = rest[authority.endIndex...]
    let userinfoEnd = authority.lastIndex(of: UInt8(ascii: "@"))
    let host = String(Substring(userinfoEnd.map { authority[$0...].dropFirst() } ?? authority))
    guard !host.isEmpty, HTTPHost.isValid(host) else {
      throw .badRequest("The target's host is invalid.")
    }
    return host
  }

  private static func decodedPath(_ raw: Substring.UTF8View) throws(HTTPError) -> String {
    guard !raw.isEmpty else { return "/" }
    guard let bytes = PercentEncoding.decoded(Array(raw)[...]) else {
      throw .badRequest("The path has a % that is not an escape.")
    }
    guard !bytes.contains(where: ASCII.isControl) else {
      throw .badRequest("The path has a control character.")
    }
    guard let path = String(validating: bytes, as: UTF8.self) else {
      throw .badRequest("The path is not UTF-8.")
    }
    guard !hasDots(bytes) else { throw .badRequest("The path has a . or .. segment.") }
    return path
  }

  /// Whether one of a path's segments is `.` or `..`.
  private static func hasDots(_ path: some Collection<UInt8>) -> Bool {
    // Of the segment that is read; nil behind another byte than a dot.
    var dots: Int? = 0
    for byte in path {
      switch byte {
      case UInt8(ascii: "/"):
        if dots == 1 || dots == 2 { return true }
        dots = 0
      case UInt8(ascii: "."): dots = dots.map { $0 + 1 }
      default: dots = nil
      }
    }
    return dots == 1 || dots == 2
  }
}

/// Checks the Host field's `host[:port]`.
public enum HTTPHost {
  /// Whether a text can be put into a URL as its authority; the empty text is valid. A name has at most 255 bytes (RFC
  /// 1035); 512 leave room for a port and percent escapes.
  public static func isValid(_ host: String) -> Bool {
    host.utf8.count <= 512
      && host.utf8.allSatisfy { byte in
        if ASCII.isLetter(byte) || ASCII.isDigit(byte) { return true }
        // unreserved, sub-delims, %, and the colons and brackets of ports and IPv6 addresses
        return "-._~!$&'()*+,;=%:[]".utf8.contains(byte)
      }
  }
}
