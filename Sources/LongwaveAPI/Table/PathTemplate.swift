/// A path in which each part in braces stands for any one part: `/api/v1/stations/{station}`.
struct PathTemplate: Sendable, ExpressibleByStringLiteral {
  enum Part: Hashable, Sendable {
    case fixed(String)
    case any(String)
  }

  let text: String
  let parts: [Part]

  init(stringLiteral text: String) {
    self.text = text
    parts = text.split(separator: "/").map { part in
      part.hasPrefix("{") && part.hasSuffix("}")
        ? .any(String(part.dropFirst().dropLast())) : .fixed(String(part))
    }
  }

  /// The names in braces, also inside a part as in `/{station}.m3u`.
  var names: [String] {
    text.split(separator: "{").dropFirst().map { String($0.prefix { $0 != "}" }) }
  }

  /// Whether a path of as many parts is of this template.
  func matches(_ path: [Substring.UTF8View]) -> Bool {
    zip(parts, path).allSatisfy { part, text in
      switch part {
      case .fixed(let fixed): fixed.utf8.elementsEqual(text)
      case .any: true
      }
    }
  }

  /// Returns the values for the parts in braces; nil when a path of as many parts does not match.
  func match(_ path: [Substring.UTF8View]) -> [String]? {
    guard matches(path) else { return nil }
    return zip(parts, path).compactMap { part, text in
      if case .any = part { String(Substring(text)) } else { nil }
    }
  }
}
