import Wire

/// An entry of a station's `renditions:`. It stands for a station of its own, `of:` this one and with `encode:`.
struct RenditionSettings: Hashable, Sendable {
  /// What stands behind the station's id: `64` for the station `jazz-64` and the path `/jazz/64`.
  var id = ""
  var name: String?
  var encode = PCMEncoding()
  var isOnDemand = false

  /// Entries of one station.
  private static let countMax = 16

  static let rows: [KeyRow<Self>] = [
    KeyRow("id", \.id, .renditionID, missing: "write what follows the station's id, such as 64"),
    KeyRow("name", \.name, .text()),
    KeyRow(
      "bitrate", \.encode.bitrate, .integer(ConfigurationLimits.encodedBitrate),
      missing: "write the kbit/s of the rendition"),
    KeyRow("samplerate", \.encode.sampleRate, .integer(ConfigurationLimits.encodedRate)),
    KeyRow("mode", \.encode.mode, .word),
    KeyRow("mono", \.encode.isMono, .flag),
    KeyRow("loudness", \.encode.loudness, .decibels(ConfigurationLimits.encodedLoudness, "LUFS")),
    KeyRow("on-demand", \.isOnDemand, .flag).checked { $1.encode.report(to: $0) },
  ]

  /// Reads `renditions:` of a station.
  static func read(_ station: SettingReader) -> [RenditionSettings] {
    let key = "renditions"
    switch station.node(key)?.content {
    case .none, .nothing: return []
    case .list(let items) where items.count > countMax:
      station.report("has \(items.count) entries; write at most \(countMax)", key: key)
      return []
    case .list(let items):
      return items.enumerated().map { index, item in
        let reader = SettingReader(
          item, path: "\(station.full(key))[\(index)]", known: rows.names(),
          problems: station.problems)
        var settings = RenditionSettings()
        rows.read(reader, into: &settings)
        return settings
      }
    case .text, .fields:
      station.report("must be a list; begin each entry with - id:", key: key)
      return []
    }
  }

  /// Returns the station that the entry stands for. Listeners are served as those of its original are.
  func station(of original: StationDefinition) -> StationDefinition {
    var made = original
    made.id = "\(original.id)-\(id)"
    made.source = .rendition(of: original.id)
    made.mounts = ["/\(original.id)/\(id)"]
    made.name = name ?? original.name.map { "\($0) (\(encode.bitrate) kbit/s)" }
    (made.encode, made.onDemand) = (encode, isOnDemand)
    // What is about upstreams, and what is to happen once for the programme, is the original's.
    (made.type, made.userAgent, made.connection) = (nil, nil, ConnectionSettings())
    (made.sourcePassword, made.encoding, made.metadata) = (nil, nil, nil)
    (made.titlePatterns, made.titleShift) = ([], 0)
    (made.record, made.sound, made.stepsDown) = ([], SoundRules(), false)
    if original.fallback != .silence { made.fallback = nil }
    return made
  }
}

extension ValueRule where Value == String {
  /// Names below a station that mean something else.
  private static let taken: Set<String> = ["clip", "pcm", "pcm.wav"]

  /// The rule for what follows a station's id in the id of a rendition.
  fileprivate static var renditionID: ValueRule {
    let wanted = "1 to 32 of a-z 0-9 - _ . that begin with a letter or digit"
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      guard !taken.contains(text) else {
        throw InvalidValue("\"\(text)\" means something else below a station; choose another")
      }
      guard StationID.problem(text) == nil, text.utf8.count <= 32 else {
        throw InvalidValue("\"\(text)\" is no name of a rendition; write \(wanted)")
      }
      return text
    }
  }
}
