import Server
import Timeshift
import Wire

/// Whether a station is given as HLS, and how.
public enum HLSRule: Hashable, Sendable {
  case off
  case on(Keys)

  /// What is not given comes from `listeners: hls`, or of a rendition from its original.
  public struct Keys: Hashable, Sendable {
    /// The length of a segment in whole seconds: 2 to 10.
    public var segment: Int?
    /// Seconds that live playlists list.
    public var window: Double?

    public init(segment: Int? = nil, window: Double? = nil) {
      (self.segment, self.window) = (segment, window)
    }
  }
}

extension HLSRule.Keys {
  static let rows: [KeyRow<Self>] = [
    KeyRow("segment", \.segment, .wholeSeconds(PieceKey.seconds)).option(
      .serving, "Whole seconds of a segment of HLS, 2 to 10.", "seconds", form: .text),
    KeyRow("window", \.window, .duration(ConfigurationLimits.hlsWindow)).option(
      .serving, "How much past HLS playlists list; else the window, 24h at most.", "time"
    ).checked { reader, keys in
      guard let segment = keys.segment, let window = keys.window,
        let least = HLSRule.windowMin(segment: segment, over: window)
      else { return }
      reader.report(
        "is \(DurationText.format(window)), less than \(HLSRule.cellsMin) segments; "
          + "write \(DurationText.format(least)) or more", key: "window")
    },
  ]
}

extension HLSRule {
  /// The fewest segments that a live playlist lists.
  package static let cellsMin = 10

  /// The least window in seconds; nil where `window` is one.
  package static func windowMin(segment: Int, over window: Double) -> Double? {
    let least = Double(segment * cellsMin)
    return window < least ? least : nil
  }

  static let schema = Schema.either(Schema.flag, Keys.rows.schema(), ["type": "null"])

  /// Reads `hls:`, a flag or keys; nil where it is not given, or wrong, which has been noted.
  static func read(_ station: SettingReader) -> HLSRule? {
    guard let node = station.node("hls") else { return nil }
    switch node.content {
    case .nothing: return nil
    case .text:
      var isOn: Bool?
      station.read("hls", into: &isOn, .flagOrKeys)
      return isOn.map { $0 ? .on(Keys()) : .off }
    case .list, .fields:
      let reader = SettingReader(
        node, path: station.full("hls"), known: Keys.rows.names(), problems: station.problems,
        advice: { switchAdvice($0, in: node) })
      var keys = Keys()
      Keys.rows.read(reader, into: &keys)
      return .on(keys)
    }
  }

  /// Keys by which other programs turn something on or off.
  private static let switches: Set = ["enabled", "enable", "on", "off", "active"]

  /// What to write in place of a key that turns HLS on or off; nil for any other key.
  private static func switchAdvice(_ field: SettingNode.Field, in node: SettingNode) -> String? {
    guard switches.contains(field.key), case .fields(let all) = node.content else { return nil }
    guard field.key != "off", case .text(let text) = field.node.content,
      let isOn = try? ValueRule.flag.parse(text)
    else { return "write hls: true or hls: false" }
    if all.count == 1 { return "write hls: \(isOn)" }
    return isOn
      ? "leave it out, as other keys turn HLS on" : "write hls: false, without other keys"
  }

  var json: JSON {
    guard case .on(let keys) = self else { return .bool(false) }
    return keys == Keys() ? .bool(true) : Keys.rows.written(keys)
  }

  /// Puts the rule into the settings of listeners, which have what it does not say.
  func serve(_ settings: inout HLSSettings) {
    guard case .on(let keys) = self else { return settings.isOn = false }
    settings.isOn = true
    settings.segment = keys.segment ?? settings.segment
    if let window = keys.window { settings.window = MediaTime(seconds: window) }
    Self.widen(&settings)
  }

  /// Cuts the segments of a copy as its original's are cut, whose log it plays.
  func cut(_ settings: inout HLSSettings) {
    guard case .on(let keys) = self else { return }
    settings.segment = keys.segment ?? settings.segment
    Self.widen(&settings)
  }

  /// The window and the segments may come from different places.
  private static func widen(_ settings: inout HLSSettings) {
    guard let window = settings.window?.seconds,
      let least = windowMin(segment: settings.segment, over: window)
    else { return }
    settings.window = MediaTime(seconds: least)
  }

  /// Notes a segment of a station whose pieces are those of another one.
  static func check(_ reader: SettingReader, _ station: StationDefinition) {
    guard case .on(let keys)? = station.hls, keys.segment != nil,
      let original = station.kind.parent
    else { return }
    reader.problems.add(
      "is that of \(original), whose segments these are; write it there",
      key: reader.full("hls.segment"), line: reader.line(of: "hls", "segment") ?? reader.line)
  }
}

extension ValueRule where Value == Int {
  /// The rule for whole seconds, written as `6` or `6s`.
  fileprivate static func wholeSeconds(_ range: ClosedRange<Int>) -> ValueRule {
    let wanted = "a whole number of seconds from \(range.lowerBound) to \(range.upperBound)"
    return ValueRule(wanted: wanted, schema: ["type": ["integer", "string"]]) {
      text throws(InvalidValue) in
      guard let seconds = DurationText.parse(text),
        let whole = range.first(where: { Double($0) == seconds })
      else {
        throw InvalidValue(
          quoting: text,
          "is no whole number of seconds from \(range.lowerBound) to \(range.upperBound)")
      }
      return whole
    }
  }
}

extension ValueRule where Value == Bool {
  /// The rule for a flag in whose place keys may stand.
  fileprivate static var flagOrKeys: ValueRule {
    let wanted = "true, false or keys, such as {segment: 4}"
    return ValueRule(wanted: wanted, schema: Schema.flag) { text throws(InvalidValue) in
      guard let isOn = try? ValueRule.flag.parse(text) else {
        let reason = "is neither true nor false; write one of them, or keys such as {segment: 4}"
        // A longer text may be a secret in the wrong place.
        if text.utf8.count >= 8 { throw InvalidValue("\(Secrecy.mask) \(reason)") }
        throw InvalidValue(quoting: text, reason)
      }
      return isOn
    }
  }
}
