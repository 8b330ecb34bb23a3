/// The scheme, host and port of an `http` or `https` URL; URLs of one origin lead to one server (RFC 6454 section 4).
public struct URLOrigin: Hashable, Sendable {
  /// `http` or `https`.
  public let scheme: String
  /// The host in lower case, without brackets and without a last dot.
  public let host: String
  public let port: UInt16

  init?(_ url: URLReference) {
    guard let scheme = url.scheme?.lowercased(), let authority = url.authority else { return nil }
    self.scheme = URLText.isICY(scheme) ? "http" : scheme
    guard ["http", "https"].contains(self.scheme),
      let (host, port) = Self.parts(authority.utf8.split(separator: UInt8(ascii: "@")).last)
    else { return nil }
    self.host = host
    self.port = port ?? (self.scheme == "https" ? 443 : 80)
  }

  /// Whether a text can be `HOST` or `HOST:PORT`, with a port of 1 to 65535.
  public static func isPlace(_ text: String) -> Bool { parts(text.utf8[...]) != nil }

  private static func parts(
    _ place: Substring.UTF8View?
  ) -> (host: String, port: UInt16?)? {
    guard let place, !place.isEmpty else { return nil }
    var rest = Array(place)[...]
    let host: ArraySlice<UInt8>
    if rest.first == UInt8(ascii: "[") {
      guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      host = rest[..<end].dropFirst()
      rest = rest[end...].dropFirst()
    } else {
      host = rest.prefix { $0 != UInt8(ascii: ":") }
      rest = rest[host.endIndex...]
    }
    guard let port = port(rest), !host.isEmpty else { return nil }
    var name = String(decoding: host, as: UTF8.self).lowercased()
    if name.utf8.last == UInt8(ascii: ".") { name.removeLast() }
    return (name, port.isEmpty ? nil : UInt16(port))
  }

  /// Returns the digits behind the colon; both may be missing. Nil for anything else, and for port 0.
  private static func port(_ text: ArraySlice<UInt8>) -> String? {
    guard let colon = text.first else { return "" }
    let digits = text.dropFirst()
    guard colon == UInt8(ascii: ":"), digits.allSatisfy(ASCII.isDigit), digits.count <= 5,
      digits.isEmpty || UInt16(String(decoding: digits, as: UTF8.self)) ?? 0 > 0
    else { return nil }
    return String(decoding: digits, as: UTF8.self)
  }
}
