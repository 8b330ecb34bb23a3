import Wire

/// Takes an upstream's URL apart as far as needed before libcurl gets it.
package enum WebURL {
  package struct Parts {
    package var scheme = ""
    /// `HOST` or `HOST:PORT`, as written.
    package var place = ""
    /// The host in lower case, without user, port and brackets.
    package var host = ""
    package var path = ""
  }

  /// Returns scheme, host and port of a URL, without user and path.
  package static func server(of url: String) -> String {
    let parts = parts(of: url)
    return "\(parts.scheme)://\(parts.place)"
  }

  package static func parts(of url: String) -> Parts {
    var parts = Parts()
    var rest = Substring(url)
    if let colon = url.firstRange(of: "://") {
      parts.scheme = url[..<colon.lowerBound].lowercased()
      rest = url[colon.upperBound...]
    }
    let authority = rest.prefix { !"/?#".contains($0) }
    parts.path = String(rest.dropFirst(authority.count).prefix { !"?#".contains($0) })
    let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    parts.place = String(place)
    let host =
      place.hasPrefix("[")
      ? place.dropFirst().prefix { $0 != "]" } : place.prefix { $0 != ":" }
    parts.host = host.lowercased()
    return parts
  }

  private static let bytesMax = 4096

  /// Whether the URL is http or https, has a host, a possible port, and nothing in it that would end a request line.
  package static func isValid(_ url: String) -> Bool {
    isValid(url, of: ["http", "https"]) && url.utf8.count <= bytesMax
  }

  /// Whether the URL is valid with one of these schemes.
  static func isValid(_ url: String, of schemes: [String]) -> Bool {
    let parts = parts(of: url)
    return schemes.contains(parts.scheme) && isClean(url) && URLOrigin.isPlace(parts.place)
  }

  /// Returns what is wrong with host and port of a URL that is otherwise good; nil when they are good, or more is
  /// wrong.
  static func problem(with url: String) -> String? {
    let parts = parts(of: url)
    guard ["http", "https"].contains(parts.scheme), isClean(url), !parts.host.isEmpty,
      !URLOrigin.isPlace(parts.place)
    else { return nil }
    let port = parts.place.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
    let isPort = parts.place.contains(":") && port.utf8.allSatisfy { (48...57).contains($0) }
    // A password that is a number, with a slash that is not escaped, looks like a port.
    if isPort, !url.contains("@"), !(UInt16(port).map { $0 > 0 } ?? false) {
      let shown = port.isEmpty ? "\"\"" : String(port.prefix(20))
      return "has the port \(shown); a port is a number from 1 to 65535"
    }
    return "has no host and port that can be; a port is a number from 1 to 65535"
  }

  /// Returns what is wrong with the bytes of a web URL; nil when nothing is, or when it is no web URL.
  static func unclean(_ url: String) -> String? {
    guard ["http", "https"].contains(parts(of: url).scheme) else { return nil }
    let bytes = url.utf8.count
    if bytes > bytesMax { return "has \(bytes) bytes; at most \(bytesMax) are allowed" }
    return isClean(url) ? nil : "has a blank in its host, or a control character; leave it out"
  }

  private static func isClean(_ url: String) -> Bool {
    url.unicodeScalars.allSatisfy { $0.value > 32 && $0.value != 127 }
  }
}
