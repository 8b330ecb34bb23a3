import Wire

/// What a station's listeners hear while no upstream delivers, as `fallback:` says it.
public enum FallbackSetting: Hashable, Sendable {
  /// Made frames in the station's own format.
  case silence
  case station(String)
  /// Its path, beginning with a slash; played over and over.
  case file(String)

  static let wanted = "silence, station:ID, or file: and a path such as file:/srv/loop.mp3"

  /// As it is written.
  public var text: String {
    switch self {
    case .silence: "silence"
    case .station(let id): "station:\(id)"
    case .file(let path): "file:\(path)"
    }
  }

  /// For everybody: paths are nobody's business.
  var publicText: String {
    if case .file = self { return "file" }
    return text
  }
}

extension ValueRule where Value == FallbackSetting {
  static var fallback: ValueRule {
    ValueRule(wanted: FallbackSetting.wanted) { text throws(InvalidValue) in
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let rest = parts.count > 1 ? String(parts[1]) : ""
      switch parts.first {
      case "silence" where parts.count == 1: return .silence
      case "station" where parts.count == 2:
        return .station(try ValueRule<String>.stationID.parse(rest))
      case "file" where rest.utf8.first == UInt8(ascii: "/"):
        return .file(try ValueRule<String>.text(max: 4096).parse(rest))
      default: throw InvalidValue("\"\(text)\" is not \(FallbackSetting.wanted)")
      }
    }
  }
}

extension StationDefinition {
  /// What is wrong with its fallback, seen with the other stations; nil: nothing.
  func fallbackProblem(among station: (String) -> StationDefinition?) -> String? {
    guard let fallback else { return nil }
    if let of {
      return "has no place beside of:, which plays on while \"\(of)\" is away"
    }
    if files != nil { return "has no place beside files:, which have no upstream" }
    guard case .station(let other) = fallback else { return nil }
    if other == id { return "is the station itself; name another one" }
    guard let target = station(other) else { return "there is no station \"\(other)\"" }
    if let of = target.of {
      return "\"\(other)\" is itself another station, later; name \"\(of)\""
    }
    if target.files != nil { return "\"\(other)\" has files; write file: and the path of one" }
    return circle(from: target, among: station)
  }

  /// Stations that are each other's fallback: when all are away nobody has anything.
  private func circle(
    from target: StationDefinition, among station: (String) -> StationDefinition?
  ) -> String? {
    var passed = [id, target.id]
    var current = target
    while case .station(let next)? = current.fallback {
      if next == id {
        return "goes round in a circle: " + (passed + [id]).joined(separator: ", ")
      }
      guard !passed.contains(next), let other = station(next) else { return nil }
      passed.append(next)
      current = other
    }
    return nil
  }
}
