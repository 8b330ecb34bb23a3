import Wire

/// The little that is to be known about an upstream's URL before libcurl has it.
enum WebURL {
  struct Parts {
    var scheme = ""
    /// `HOST` or `HOST:PORT`, as it is written.
    var place = ""
    /// Lower case, without user, port and brackets.
    var host = ""
    var path = ""
  }

  static func parts(of url: String) -> Parts {
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

  /// Whether it is http or https, has a host, a port that can be, and nothing in it that would end a request line.
  static func isValid(_ url: String) -> Bool {
    isValid(url, of: ["http", "https"]) && url.utf8.count <= 4096
  }

  /// The same for other schemes.
  static func isValid(_ url: String, of schemes: [String]) -> Bool {
    let parts = parts(of: url)
    return schemes.contains(parts.scheme) && isClean(url) && URLOrigin.isPlace(parts.place)
  }

  /// What is wrong where it begins as it should and names a host; nil: nothing, or all of it.
  static func problem(with url: String) -> String? {
    let parts = parts(of: url)
    guard ["http", "https"].contains(parts.scheme), isClean(url), !parts.host.isEmpty,
      !URLOrigin.isPlace(parts.place)
    else { return nil }
    return "has no host and port that can be; a port is a number from 1 to 65535"
  }

  private static func isClean(_ url: String) -> Bool {
    url.unicodeScalars.allSatisfy { $0.value > 32 && $0.value != 127 }
  }
}
