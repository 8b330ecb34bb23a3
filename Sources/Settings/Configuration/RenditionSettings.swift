import Wire

/// An entry of a station's `renditions:`. It stands for a station of its own, `of:` this one and with `encode:`.
struct RenditionSettings: Hashable, Sendable {
  /// Suffix of the station's id: `64` for the station `jazz-64` and the path `/jazz/64`. Where an entry does not say,
  /// its bit rate.
  var id = ""
  var name: String?
  var encode = PCMEncoding()
  var isOnDemand = false

  /// Entries of one station.
  private static let countMax = 16

  static let rows: [KeyRow<Self>] = [
    KeyRow(
      "bitrate", \.encode.bitrate, .mp3Bitrate, missing: "write the kbit/s of the rendition"),
    KeyRow("id", \.id, .renditionID),
    KeyRow("name", \.name, .text()),
    KeyRow("samplerate", \.encode.sampleRate, .mp3SampleRate),
    KeyRow("mode", \.encode.mode, .word),
    KeyRow("mono", \.encode.isMono, .flag),
    KeyRow("loudness", \.encode.loudness, .decibels(ConfigurationLimits.encodedLoudness, "LUFS")),
    KeyRow("on-demand", \.isOnDemand, .flag).checked { $1.encode.report(to: $0) },
  ]

  /// Reads `renditions:` of a station: a list of entries with keys, or of bit rates.
  static func read(_ station: SettingReader) -> [RenditionSettings] {
    let key = "renditions"
    guard let node = station.node(key) else { return [] }
    switch node.content {
    case .nothing: return []
    case .list(let items) where items.count > countMax:
      station.report("has \(items.count) entries; write at most \(countMax)", key: key)
      return []
    case .list(let items):
      return items.enumerated().compactMap { index, item in
        read(item, path: "\(station.full(key))[\(index)]", station.problems)
      }
    case .text: return read(node, path: station.full(key), station.problems).map { [$0] } ?? []
    case .fields:
      station.report("must be a list; begin each entry with - bitrate:", key: key)
      return []
    }
  }

  /// Reads an entry; nil where nothing says what follows the station's id, which has been noted.
  private static func read(
    _ item: SettingNode, path: String, _ problems: SettingReader.Problems
  ) -> RenditionSettings? {
    if case .list = item.content {
      problems.add("must be a bit rate such as 64, or hold keys", key: path, line: item.line)
      return nil
    }
    let known = problems.count
    let reader = SettingReader(
      item.inside("bitrate"), path: path, known: rows.names(), problems: problems,
      advice: {
        $0.key == "hls" ? "HLS of a rendition follows its station; write hls: at the station" : nil
      })
    var settings = RenditionSettings()
    rows.read(reader, into: &settings)
    if reader.field("id") == nil, problems.count == known {
      settings.id = String(settings.encode.bitrate)
    }
    return settings.id.isEmpty ? nil : settings
  }

  /// Returns the station that the entry stands for. Listeners are served as those of its original are.
  func station(of original: StationDefinition) -> StationDefinition {
    var made = original
    made.id = "\(original.id)-\(id)"
    made.source = .rendition(of: original.id)
    made.mounts = ["/\(original.id)/\(id)"]
    made.name = name ?? original.name.map { "\($0) (\(encode.bitrate) kbit/s)" }
    (made.encode, made.onDemand) = (encode, isOnDemand)
    // Nil is what its original has, also after that is changed.
    made.hls = nil
    // The original keeps the keys about upstreams and the work done once for the programme.
    (made.type, made.userAgent, made.connection) = (nil, nil, ConnectionSettings())
    (made.sourcePassword, made.encoding, made.metadata) = (nil, nil, nil)
    (made.titlePatterns, made.titleShift) = ([], 0)
    (made.record, made.shows, made.sound, made.stepsDown) = ([], [], SoundRules(), false)
    // A file or another station does not come at these bits.
    if original.fallback != nil { made.fallback = .silence }
    return made
  }
}

extension ValueRule where Value == String {
  /// Names below a station that mean something else.
  private static let taken: Set<String> = ["clip", "pcm", "pcm.wav", "hls"]

  /// The rule for what follows a station's id in the id of a rendition.
  fileprivate static var renditionID: ValueRule {
    let wanted = "1 to 32 of a-z 0-9 - _ . that begin with a letter or digit"
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      guard !taken.contains(text) else {
        throw InvalidValue(quoting: text, "means something else below a station; choose another")
      }
      guard StationID.problem(text) == nil, text.utf8.count <= 32 else {
        throw InvalidValue(quoting: text, "is no name of a rendition; write \(wanted)")
      }
      return text
    }
  }
}
