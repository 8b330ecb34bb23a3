import Programmes
import Wire

extension Order: SettingValue {}
extension Repeat: SettingValue {}
extension Join: SettingValue {}
extension Onset: SettingValue {}
extension Programme.Format.Codec: SettingValue {}

extension Source: SettingValue {
  var json: JSON { .string(text) }

  /// The source as everybody may see it: no path of this machine, and of a URL no secrets.
  package var publicText: String {
    switch self {
    case .folder: "folder"
    case .list: "list"
    case .url(let address): URLText.withoutSecrets(address)
    case .collection, .station: text
    }
  }

  /// How a source is shown: of a URL only what all may see.
  static let shown = Showing { text in
    guard let source = try? ValueRule<Source>.source.parse(text) else { return Secrecy.mask }
    if case .url = source { return Secrecy.inURL.shown(text, isValid: true) }
    guard let path = source.path else { return Secrecy.none.shown(text, isValid: true) }
    let kind = text.utf8.count - path.utf8.count
    return String(Substring(text.utf8.prefix(kind))) + Secrecy.none.shown(path, isValid: true)
  }
}

extension MinuteMark: SettingValue {
  var json: JSON { .string(text) }
}

extension InsertRule.Keys.Every: SettingValue {
  var json: JSON {
    switch self {
    case .tracks(1): "1 track"
    case .tracks(let count): .string("\(count) tracks")
    case .seconds(let seconds): seconds.json
    }
  }
}

extension ValueRule where Value == Source {
  /// The rule for what a programme plays.
  static var source: ValueRule {
    let wanted = "a collection, folder:/PATH, list:/PATH, a URL or station:ID"
    return ValueRule(wanted: wanted, secrecy: .inURL) { text throws(InvalidValue) in
      let source: Source
      do throws(ProgrammeProblem) {
        source = try Source(text)
      } catch .pathIsRelative {
        throw InvalidValue(quoting: text, "has no absolute path; write it from / on")
      } catch {
        throw InvalidValue("\(error)")
      }
      switch source {
      case .collection(let name): try refuseNoName(name)
      case .folder(let path), .list(let path): _ = try ValueRule<String>.absolutePath.parse(path)
      case .station(let id): _ = try ValueRule<String>.stationID.parse(id)
      case .url(let address): return .url(try ValueRule<String>.webURL.parse(address))
      }
      return source
    }
  }

  /// Refuses what is no name of a collection, and perhaps a source that was meant.
  private static func refuseNoName(_ text: String) throws(InvalidValue) {
    if text.utf8.first == UInt8(ascii: "/") {
      // What is no path may hold a password.
      let meant =
        Secrecy.mayHoldPassword(text) ? "folder:/PATH" : "folder:\(Secrecy.cut(text, 100))"
      throw InvalidValue(quoting: text, "is a path alone; did you mean \(meant)?")
    }
    // As an address of another kind it is told without its secrets.
    if text.contains("://") { _ = try ValueRule<String>.webURL.parse(text) }
    _ = try ValueRule<String>.text(wanted: source.wanted).parse(text)
  }
}

extension ValueRule where Value == MinuteMark {
  /// The rule for a minute of every hour, or of one hour of the day.
  static var minuteMark: ValueRule {
    ValueRule(wanted: ":MM or HH:MM, such as \":00\"") { text throws(InvalidValue) in
      do throws(ProgrammeProblem) {
        return try MinuteMark(text)
      } catch {
        throw InvalidValue("\(error)", quoting: text)
      }
    }
  }
}

extension ValueRule where Value == InsertRule.Keys.Every {
  /// The rule for how often an insert comes: after so many tracks, or after some time.
  static var every: ValueRule {
    let wanted = "a number of tracks or a duration, such as 4 tracks or 20m"
    return ValueRule(wanted: wanted, schema: ["type": ["number", "string"]]) {
      text throws(InvalidValue) in
      let words = text.split(separator: " ")
      if words.count == 2, words[1] == "tracks" || words[1] == "track" {
        return .tracks(try ValueRule<Int>.integer(InsertRule.tracks).parse(String(words[0])))
      }
      guard DurationText.parse(text) != nil else {
        throw InvalidValue(quoting: text, "is not \(wanted)")
      }
      return .seconds(try ValueRule<Int>.seconds(InsertRule.intervals).parse(text))
    }
  }
}

extension ValueRule where Value == Int {
  /// The rule for a duration of whole seconds.
  static func seconds(_ range: ClosedRange<Int>) -> ValueRule {
    let duration = ValueRule<Double>.duration(Double(range.lowerBound)...Double(range.upperBound))
    return ValueRule(wanted: duration.wanted, schema: duration.schema) {
      text throws(InvalidValue) in
      let seconds = try duration.parse(text)
      guard let whole = Int(exactly: seconds) else {
        throw InvalidValue(quoting: text, "is no whole number of seconds")
      }
      return whole
    }
  }
}

extension ValueRule where Value == Int64 {
  /// The rule for the seed of an order.
  static var seed: ValueRule {
    let number = ValueRule<Int>.integer(
      Int(Programme.seeds.lowerBound)...Int(Programme.seeds.upperBound))
    return ValueRule(wanted: number.wanted, schema: number.schema) { text throws(InvalidValue) in
      Int64(try number.parse(text))
    }
  }
}

extension ValueRule where Value == String {
  private static var titleFields: [Substring] { ["artist", "title", "album", "year"] }

  /// The rule for how a track's title is made of its tags.
  static var titleFormat: ValueRule {
    let text = ValueRule.text(wanted: "a pattern in quotes, such as \"{artist} - {title}\"")
    return ValueRule(wanted: text.wanted) { pattern throws(InvalidValue) in
      let pattern = try text.parse(pattern)
      if pattern.isEmpty { throw InvalidValue("is empty; write \(text.wanted)") }
      let known = titleFields.map { "{\($0)}" }.joined(separator: ", ")
      var rest = pattern[...]
      while let open = rest.firstIndex(of: "{") {
        let inside = rest[rest.index(after: open)...]
        guard let close = inside.firstIndex(of: "}") else {
          throw InvalidValue(quoting: pattern, "has a { without its }")
        }
        let field = inside[..<close]
        guard titleFields.contains(field) else {
          throw InvalidValue(
            "has {\(Secrecy.cut(String(field), 40))}, which is unknown; write \(known)")
        }
        rest = inside[inside.index(after: close)...]
      }
      return pattern
    }
  }
}
