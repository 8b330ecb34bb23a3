import Foundation
import Longwave
import Wire

/// Stations in Longwave's own YAML, like `stations:` in a configuration; written and read without loss.
enum StationsYAML {
  /// Reads stations; nil when the bytes are no YAML of Longwave. Throws all mistakes of such YAML.
  static func read(
    _ bytes: [UInt8], name: String
  ) throws(ConfigurationError) -> [StationDefinition]? {
    guard isOurs(bytes, name) else { return nil }
    guard let yaml = String(validating: bytes, as: UTF8.self) else {
      throw ConfigurationError(name, "is not UTF-8; save it as UTF-8")
    }
    let problems = SettingReader.Problems(file: name, sections: ConfigurationKeys.sections)
    let root = try YAMLDocument.root(of: yaml, file: name, known: ConfigurationKeys.names)
    let list: SettingNode?
    if case .fields(let fields)? = root?.content {
      list = fields.first { $0.key == "stations" }?.node
    } else {
      list = root
    }
    let stations = StationListReader.stations(list, problems).stations
    guard problems.list.isEmpty else { throw ConfigurationError(problems: problems.list) }
    return stations
  }

  /// Whether the bytes are Longwave's YAML, by the file's name or by a line that begins a list of stations.
  private static func isOurs(_ bytes: [UInt8], _ name: String) -> Bool {
    if name.hasSuffix(".yml") || name.hasSuffix(".yaml") { return true }
    return bytes.split(separator: 10).contains { line in
      line.starts(with: "stations:".utf8) || line.starts(with: "- id:".utf8)
    }
  }
}

extension StationsYAML {
  static func text(_ stations: [StationDefinition]) -> String {
    guard !stations.isEmpty else { return "stations: []\n" }
    return "stations:\n" + stations.map(text).joined(separator: "\n")
  }

  /// Returns one station: the keys that differ from the defaults, in the order of the manual.
  static func text(_ station: StationDefinition) -> String {
    let defaults = StationDefinition(id: "", upstream: []).json
    let members = station.json.members.filter { $0.value != .null && $0.value != defaults[$0.key] }
    let written = members.flatMap { lines(SettingKey.file($0.key), $0.value) }
    return written.enumerated().map { ($0 == 0 ? "  - " : "    ") + $1 + "\n" }.joined()
  }

  private static func lines(_ key: String, _ value: JSON) -> [String] {
    switch value {
    case .array([]): return ["\(key): []"]
    case .array(let items): return ["\(key):"] + items.flatMap(item)
    case .object(let members):
      let own = members.filter { $0.value != .null }.flatMap {
        lines(SettingKey.file($0.key), $0.value)
      }
      return ["\(key):"] + own.map { "  " + $0 }
    case .number(let decibels) where ["below", "above", "loudness"].contains(key):
      return ["\(key): \(JSON.decimal(decibels))"]
    default: return ["\(key): \(YAMLText.scalar(value))"]
    }
  }

  private static func item(_ value: JSON) -> [String] {
    guard case .object(let members) = value else { return ["  - \(YAMLText.scalar(value))"] }
    return members.flatMap { lines(SettingKey.file($0.key), $0.value) }.enumerated()
      .map { ($0 == 0 ? "  - " : "    ") + $1 }
  }
}

/// Writes single values in YAML.
enum YAMLText {
  /// Returns a value. A number that is no integer is a duration in a definition, and is written as one.
  static func scalar(_ value: JSON) -> String {
    switch value {
    case .string(let text): string(text)
    case .number(let seconds): duration(seconds)
    default: value.text
    }
  }

  /// Returns a text, plain where every reader of YAML reads it unchanged, else in quotes.
  static func string(_ text: String) -> String {
    let isPlain =
      text.wholeMatch(of: /[A-Za-z\/][A-Za-z0-9 .,_\/:?=&%+~@;()-]*/) != nil
      && !text.contains(": ") && !text.hasSuffix(":") && !text.hasSuffix(" ")
      && !words.contains(text.lowercased())
    return isPlain ? text : quoted(text)
  }

  /// Words that older readers of YAML do not read as text.
  private static let words: Set<String> = [
    "y", "n", "yes", "no", "on", "off", "true", "false", "null",
  ]

  /// Returns a text in double quotes, whose escapes are JSON's and some more (YAML 1.2, 5.7).
  private static func quoted(_ text: String) -> String {
    var result = ""
    for scalar in JSON.string(text).text.unicodeScalars {
      let isHidden =
        (0x7F...0x9F).contains(scalar.value) || scalar.value == 0xFEFF
        || (0xFFFE...0xFFFF).contains(scalar.value)
      if isHidden {
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func duration(_ seconds: Double) -> String {
    let text = DurationText.format(seconds)
    return DurationText.parse(text) == seconds ? text : "\(seconds)"
  }
}
