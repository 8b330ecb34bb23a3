import Wire

extension FallbackSetting {
  /// Returns why a station's listeners could not play the fallback; nil when no reason is known.
  ///
  /// - Parameters:
  ///   - format: the fallback's format; nil when unknown.
  ///   - own: the station's format.
  package func problem(with format: AudioFormat?, for own: AudioFormat) -> String? {
    if self == .silence {
      if SilentFrame.isPossible(in: own) { return nil }
      return "silence cannot be made in \(own.codec.name) as this station has it; "
        + "write a file or a station"
    }
    return format.flatMap { $0 == own ? nil : Self.mismatch($0, own) }
  }

  package static func mismatch(_ format: AudioFormat, _ own: AudioFormat) -> String {
    "its format is \(format.words), the station's \(own.words): players would stop at the change"
  }
}

extension AudioFormat {
  /// The format in words for people.
  fileprivate var words: String {
    let names = [1: "mono", 2: "stereo"]
    let shown = channels > 0 ? ", \(names[channels] ?? "\(channels) channels")" : ""
    return "\(codec.name) \(sampleRate) Hz\(shown)"
  }
}

extension ValueRule where Value == FallbackSetting {
  static var fallback: ValueRule {
    let wanted = "silence, station:ID, or file: and a path such as file:/srv/loop.mp3"
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let rest = parts.count > 1 ? String(parts[1]) : ""
      switch parts.first {
      case "silence" where parts.count == 1: return .silence
      case "station" where parts.count == 2:
        return .station(try ValueRule<String>.stationID.parse(rest))
      case "file" where rest.utf8.first == UInt8(ascii: "/"):
        return .file(try ValueRule<String>.text(max: 4096).parse(rest))
      default:
        let meant = meant(by: text).map { "; did you mean \($0)?" } ?? ""
        throw InvalidValue(quoting: text, "is not \(wanted)\(meant)")
      }
    }
  }

  /// Returns what somebody means who leaves out what kind of fallback it is; nil when that is not plain.
  private static func meant(by text: String) -> String? {
    if let word = KeySuggestion.nearest(to: text, among: ["silence"]) { return word }
    if text.hasPrefix("/") {
      return Secrecy.mayHoldPassword(text) ? nil : "file:\(Secrecy.cut(text, 100))"
    }
    return StationID.problem(text) == nil ? "station:\(text)" : nil
  }
}

extension StationDefinition {
  /// Returns what is wrong with the station's fallback beside the other stations; nil when nothing is.
  ///
  /// - Parameter known: the ids of the other stations, to name the one that was meant.
  package func fallbackProblem(
    known: Dictionary<String, StationDefinition>.Keys = [:].keys,
    among station: (String) -> StationDefinition?
  ) -> String? {
    guard let fallback else {
      let isWanted = sound.silence?.startsFallback == true
      return isWanted ? "is missing; silence: has fallback: true, which needs one" : nil
    }
    if let original {
      return "has no place beside of:, which plays on while \"\(original)\" is away"
    }
    if files != nil { return "has no place beside files:, which have no upstream" }
    guard case .station(let other) = fallback else { return nil }
    if other == id { return "is the station itself; name another one" }
    guard let target = station(other) else {
      return KeySuggestion.noStation(other, besides: id, among: known)
    }
    if let original = target.original {
      return "\"\(other)\" is itself another station, later; name \"\(original)\""
    }
    if target.files != nil { return "\"\(other)\" has files; write file: and the path of one" }
    return circle(from: target, among: station)
  }

  /// Length of a chain of stations that are each the next one's fallback; each of them walks the whole chain.
  private static let chainMax = 64

  /// Returns a problem when stations are each other's fallback: when all are away, none has anything to play.
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
      if passed.count == Self.chainMax {
        return "leads over more than \(Self.chainMax) stations; name one that is nearer to the end"
      }
      passed.append(next)
      current = other
    }
    return nil
  }
}
