import Ingest
import Programmes
import Reactor
import Wire

extension StationSource {
  /// Keys that say where a station's audio comes from: one of `urls`, `command`, `original`, `files` and `programme`.
  struct Keys: Hashable, Sendable {
    var urls: [String] = []
    var command: [String] = []
    var original: String?
    var delay: Double?
    var files: String?
    var throttleBypass: Double?
    var programme: Programme?
  }

  /// The keys that stand for the source.
  var keys: Keys {
    switch self {
    case .upstream(let urls): Keys(urls: urls)
    case .command(let program): Keys(command: program.readsInput ? [] : program.arguments)
    case .soundInput(let input): Keys(urls: [input.text])
    case .copy(let original, let delay): Keys(original: original, delay: delay)
    case .rendition(let original): Keys(original: original)
    case .files(let root, let bypass): Keys(files: root, throttleBypass: bypass)
    case .programme(let programme): Keys(programme: programme)
    }
  }

  /// The keys that say where the audio comes from; the last that is given counts.
  private static let places = ["upstream", "command", "of", "files", "programme"]

  /// Returns the given keys that this one rules out.
  private static func others(than key: String, _ reader: SettingReader) -> [String] {
    places.prefix { $0 != key }.filter { reader.field($0) != nil }
  }

  /// Reads the keys; when they contradict each other, which is noted, the last of `places` counts.
  static func read(_ reader: SettingReader, of id: String) -> StationSource {
    var keys = Keys()
    Keys.rows.read(reader, into: &keys)
    if reader.field("throttle-bypass") != nil, reader.field("files") == nil {
      reader.report("goes with files:, the folder that the station serves", key: "throttle-bypass")
    }
    if reader.field("programme") != nil { return programme(keys, reader) }
    if reader.field("files") != nil {
      refuseBesideFiles(reader)
      return .files(keys.files ?? "", throttleBypass: keys.throttleBypass)
    }
    if reader.field("of") != nil {
      check(original: keys.original, of: id, reader)
      if reader.field("encode") != nil { return rendition(keys, reader) }
      checkDelay(reader)
      return .copy(of: keys.original ?? "", delay: keys.delay ?? 0)
    }
    if reader.field("command") != nil {
      checkCommand(keys.command, reader)
      let folder = NamedFile.folder(of: reader.problems.file)
      // Where it names none, a problem has been noted.
      return .command(ProgramCall(keys.command.isEmpty ? [""] : keys.command, in: folder))
    }
    checkUpstream(reader)
    if let input = keys.urls.lazy.compactMap({ SoundInput($0) }).first {
      if keys.urls.count > 1 {
        reader.report(
          "has \(input.text) beside others; a sound input is a station's only upstream",
          key: "upstream")
      }
      return .soundInput(input)
    }
    return .upstream(keys.urls)
  }
}

extension StationSource.Keys {
  static let rows: [KeyRow<Self>] = [
    KeyRow("upstream", list: \.urls, .upstream, endingInColon: true),
    KeyRow("command", list: \.command, .programArgument),
    KeyRow("of", \.original, .stationID).option(
      .pulling, "Station that this one repeats, later (--delay) or in fewer bits (--encode).",
      form: .station),
    KeyRow("delay", \.delay, .duration(ConfigurationLimits.delay)).option(
      .pulling, "How much later than --of it is heard, such as 8h.", "time"),
    KeyRow("files", \.files, .absolutePath).option(
      .pulling, "Folder, or one file, to serve on demand in place of an upstream.", "path"),
    KeyRow(
      "throttle-bypass", \.throttleBypass, .duration(ConfigurationLimits.throttleBypass)
    ).option(
      .pulling, "How much of a file goes out at full speed; the rest goes at playing speed.", "time"
    ),
    KeyRow(
      name: "programme", schema: Programme.schema, read: { $1.programme = .read($0) },
      json: { $0.programme?.json ?? .null }, shown: Source.shown, keys: Programme.rows.trees()),
  ]
}

extension StationSource {
  private static func checkUpstream(_ reader: SettingReader) {
    refuseDelay(reader)
    switch reader.node("upstream")?.content {
    case nil where reader.hasSlip(of: places): break
    case nil: reader.report("is missing; write one URL, or a list of them", key: "upstream")
    case .list(let items) where items.isEmpty:
      reader.report("is empty; write at least one URL", key: "upstream")
    case .list(let items) where items.count > ConfigurationLimits.upstreamsMax:
      reader.report(
        "has \(items.count) entries; write at most \(ConfigurationLimits.upstreamsMax)",
        key: "upstream")
    default: break
    }
  }

  private static func checkCommand(_ arguments: [String], _ reader: SettingReader) {
    refuseDelay(reader)
    for key in others(than: "command", reader) {
      reader.report(
        "has no place beside command:, which says where the audio comes from; write one of them",
        key: key)
    }
    switch reader.node("command")?.content {
    case .list(let items) where items.isEmpty:
      reader.report("is empty; write the program and its arguments", key: "command")
    case .list(let items) where items.count > ConfigurationLimits.argumentsMax:
      reader.report(
        "has \(items.count) entries; write at most \(ConfigurationLimits.argumentsMax)",
        key: "command")
    case .list: if arguments.first == "" { reader.report("names no program", key: "command") }
    default:
      reader.report(
        "must be a list of the program and each argument, such as [cat, /srv/jazz.mp3]; "
          + "no shell reads it", key: "command")
    }
  }

  private static func check(original: String?, of id: String, _ reader: SettingReader) {
    for key in others(than: "of", reader) {
      reader.report("has no place beside of:, which says where the audio comes from", key: key)
    }
    if original == id { reader.report("is the station itself; name another one", key: "of") }
  }

  private static func checkDelay(_ reader: SettingReader) {
    if reader.field("delay") != nil { return }
    reader.report(
      "is missing; write how much later, such as 8h (or encode:, for a rendition)", key: "delay")
  }

  private static func rendition(_ keys: Keys, _ reader: SettingReader) -> StationSource {
    if reader.field("delay") != nil {
      reader.report(
        "has no place beside encode:; a rendition is heard when its original is", key: "delay")
    }
    return .rendition(of: keys.original ?? "")
  }

  private static func programme(_ keys: Keys, _ reader: SettingReader) -> StationSource {
    for key in others(than: "programme", reader) + ofUpstreams where reader.field(key) != nil {
      reader.report(noPlaceBesideProgramme, key: key)
    }
    if keys.programme != nil { ProgrammeLimits.report(to: reader) }
    // Where it says nothing, a problem has been noted.
    return .programme(keys.programme ?? Programme(PlayRules()))
  }

  static let noPlaceBesideProgramme =
    "has no place beside programme:, which says where the audio comes from"

  /// Keys of what an upstream sends, and of how it is reached.
  private static let ofUpstreams =
    ["delay", "type", "user-agent", "source-password", "title-pattern", "metadata"]
    + (StationKeys.connection + StationKeys.encoding).names()

  /// Refuses other sources of audio beside `files:`.
  private static func refuseBesideFiles(_ reader: SettingReader) {
    if let key = others(than: "files", reader).first {
      return reader.report(
        "has no place beside files:, which says where the audio is; write one of them", key: key)
    }
    refuseDelay(reader)
  }

  private static func refuseDelay(_ reader: SettingReader) {
    if reader.field("delay") == nil { return }
    reader.report("goes with of:, the station that this one is, later", key: "delay")
  }
}
