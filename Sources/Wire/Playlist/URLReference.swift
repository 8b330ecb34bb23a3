/// The five parts of a URL or relative reference (RFC 3986, appendix B). Every text can be split into them.
struct URLReference: Hashable {
  var scheme: String?
  var authority: String?
  var path: String
  var query: String?
  var fragment: String?

  init(_ text: String) {
    var rest = Substring(text)
    fragment = Self.readTail(&rest, from: "#")
    query = Self.readTail(&rest, from: "?")
    scheme = Self.readScheme(&rest)
    if rest.utf8.starts(with: "//".utf8) {
      rest = rest.dropFirst(2)
      let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      authority = String(rest[..<end])
      rest = rest[end...]
    }
    path = String(rest)
  }

  /// The reference as text (section 5.3).
  var text: String {
    var text = scheme.map { $0 + ":" } ?? ""
    text += authority.map { "//" + $0 } ?? ""
    text += path
    text += query.map { "?" + $0 } ?? ""
    text += fragment.map { "#" + $0 } ?? ""
    return text
  }

  /// Returns the target of this reference in a document at `base` (section 5.2.2, strict).
  func resolved(against base: URLReference) -> URLReference {
    var target = self
    if scheme == nil {
      target.scheme = base.scheme
      if authority == nil {
        target.authority = base.authority
        if path.isEmpty {
          target.path = base.path
          target.query = query ?? base.query
          return target
        }
        if path.utf8.first != UInt8(ascii: "/") { target.path = merged(with: base) }
      }
    }
    target.path = Self.withoutDotSegments(target.path)
    return target
  }

  /// Returns the path merged with the base's path (section 5.2.3).
  private func merged(with base: URLReference) -> String {
    if base.authority != nil && base.path.isEmpty { return "/" + path }
    guard let slash = base.path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return base.path[...slash] + path
  }

  /// Removes dot segments (section 5.2.4), segment by segment instead of with the RFC's buffers.
  private static func withoutDotSegments(_ path: String) -> String {
    let isAbsolute = path.utf8.first == UInt8(ascii: "/")
    var kept: [Substring] = []
    let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .dropFirst(isAbsolute ? 1 : 0).map(Substring.init)
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".": if isLast { kept.append("") }
      case "..":
        _ = kept.popLast()
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return (isAbsolute ? "/" : "") + kept.joined(separator: "/")
  }

  private static func readTail(_ rest: inout Substring, from mark: Character) -> String? {
    guard let index = rest.utf8.firstIndex(of: mark.asciiValue!) else { return nil }
    defer { rest = rest[..<index] }
    return String(Substring(rest.utf8[index...].dropFirst()))
  }

  private static func readScheme(_ rest: inout Substring) -> String? {
    guard let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = rest.utf8[..<colon]
    guard let first = scheme.first, ASCII.isLetter(first),
      scheme.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) })
    else { return nil }
    rest = Substring(rest.utf8[colon...].dropFirst())
    return String(Substring(scheme))
  }
}
