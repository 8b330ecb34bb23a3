/// The little that is to be known about an upstream's URL before libcurl has it.
enum WebURL {
  struct Parts {
    var scheme = ""
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
    let host =
      place.hasPrefix("[")
      ? place.dropFirst().prefix { $0 != "]" } : place.prefix { $0 != ":" }
    parts.host = host.lowercased()
    return parts
  }

  /// Whether it is http or https, has a host, and nothing in it that would end a request line.
  static func isValid(_ url: String) -> Bool {
    let parts = parts(of: url)
    let isClean = url.unicodeScalars.allSatisfy { $0.value > 32 && $0.value != 127 }
    return ["http", "https"].contains(parts.scheme) && !parts.host.isEmpty && isClean
      && url.utf8.count <= 4096
  }
}
