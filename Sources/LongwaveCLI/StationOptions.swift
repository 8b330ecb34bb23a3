import ArgumentParser
import Longwave
import LongwaveAdmin

/// The settings of a station for `add` and `edit`: the keys of the configuration.
///
/// An option has the name of its key, except those in `names`.
struct StationOptions: ParsableArguments {
  @OptionGroup(title: "About it") var details: StationDetails
  @OptionGroup(title: "How it is served") var serving: StationServing
  @OptionGroup(title: "How it is pulled") var pulling: StationPulling

  /// The options that may be given several times and make a list.
  static let names = [
    "mounts": "--mount", "denyAgents": "--deny-agent", "requestHeaders": "--request-header",
    "metadataCandidates": "--metadata-candidate",
  ]

  /// Returns the words of the command line for the keys of a body, and for those that it lacks.
  static func names(of body: JSON) -> [String: String] {
    let keys = ConfigurationKeys.sections.first { $0.name == "stations" }?.keys ?? []
    let all = keys.map { (SettingKey.json($0), "--\($0)") }
    var names = Dictionary(all) { first, _ in first }.merging(Self.names) { $1 }
    // A secret belongs on no command line.
    if body["sourcePassword"] == nil { names["sourcePassword"] = "--source-password-file" }
    for key in StationCommandKeys.withoutOption { names[SettingKey.json(key)] = nil }
    return names
  }

  var isEmpty: Bool { keys.isEmpty }

  /// The keys of a body for which there is an option.
  var keys: Set<String> {
    Set(members.map(\.key) + (pulling.sourcePasswordFile == nil ? [] : ["sourcePassword"]))
  }

  /// Returns the given options only; secrets are read from their files.
  func json() throws -> [JSON.Member] { members + (try pulling.secrets()) }

  private var members: [JSON.Member] { details.given + serving.members + pulling.members }
}

struct StationDetails: ParsableArguments {
  @Option(help: "Name of the station; else the upstream's own.") var name: String?
  @Option(help: "What the station plays, for directories and players.") var genre: String?
  @Option(help: "A sentence about the station.") var description: String?
  @Option(help: ArgumentHelp("Web page of the station.", valueName: "url")) var homepage: String?
  @Option(help: ArgumentHelp("Picture of the station.", valueName: "url")) var artwork: String?
  @Flag(inversion: .prefixedNo, help: "Whether stream directories may list the station.")
  var `public`: Bool?
  @Option(
    help: ArgumentHelp("Further path to the stream; may be given several times.", valueName: "path")
  )
  var mount: [String] = []
}

struct StationServing: ParsableArguments {
  @Option(help: ArgumentHelp("How much past to keep; 0 keeps none.", valueName: "time"))
  var window: String?
  @Option(help: ArgumentHelp("How much audio a new listener gets at once.", valueName: "time"))
  var burst: String?
  @Option(
    help: ArgumentHelp(
      "What a slow listener gets: shift keeps its place, skip jumps to live, drop ends it.",
      valueName: "word"))
  var behind: String?
  @Option(
    help: ArgumentHelp(
      "How far a listener may fall behind before skip or drop acts.", valueName: "time"))
  var maxLag: String?
  @Option(
    help: ArgumentHelp(
      "What listeners hear while no upstream delivers: silence, station:ID or file:/PATH.",
      valueName: "what"))
  var fallback: String?
  @Option(
    help: ArgumentHelp(
      "Seconds without audio before the fallback starts.", valueName: "time"))
  var fallbackAfter: String?
  @Option(
    help: ArgumentHelp(
      "When levels and loudness are measured: always, or only while watched.", valueName: "word"))
  var levels: String?
  @Flag(
    inversion: .prefixedNo,
    help: "Whether listeners on a slow line go on with a rendition of fewer bits.")
  var stepDown: Bool?
  @Flag(inversion: .prefixedNo, help: "Whether listeners may hear the past.")
  var shift: Bool?
  @Option(help: ArgumentHelp("How far back listeners may go.", valueName: "time"))
  var offsetMax: String?
  @Flag(
    inversion: .prefixedNo,
    help: "Whether pieces of the past may be fetched as files; else as --shift says.")
  var clip: Bool?
  @Option(help: ArgumentHelp("Most listeners at once.", valueName: "number"))
  var maxListeners: Int?
  @Option(
    help: ArgumentHelp("How long one listener may listen; 0 sets no limit.", valueName: "time"))
  var maxListeningTime: String?
  @Option(
    help: ArgumentHelp(
      "Addresses that alone may listen, such as 10.0.0.0/8; may be given several times.",
      valueName: "range"))
  var allow: [String] = []
  @Option(
    help: ArgumentHelp(
      "Addresses that may not listen; may be given several times.", valueName: "range"))
  var deny: [String] = []
  @Option(
    help: ArgumentHelp(
      "Players that may not listen, such as 'Bot*'; may be given several times.", valueName: "name")
  )
  var denyAgent: [String] = []

  @Option(
    help: ArgumentHelp(
      "Weekly recording, such as 'weekdays 18:00-19:30'; may be given several times.",
      valueName: "entry"))
  var record: [String] = []
  @Flag(help: "Forbid all recordings of the station; --unset record allows them again.")
  var noRecord = false
  @Option(
    help: ArgumentHelp("Time zone of --record, such as Europe/Berlin.", valueName: "zone"))
  var timeZone: String?

  fileprivate var members: [JSON.Member] {
    if !noRecord { return given }
    return given.filter { $0.key != "record" } + [.init(key: "record", value: .bool(false))]
  }
}

struct StationPulling: ParsableArguments {
  @Option(
    help: "Station that this one repeats, later (--delay) or in fewer bits (--encode).",
    completion: .stations)
  var of: String?
  @Option(
    help: ArgumentHelp(
      "How much later than --of it is heard, such as 8h.", valueName: "time")) var delay: String?
  @Option(
    help: ArgumentHelp(
      "Bit rate in kbit/s of the MP3 made from --of; the configuration has its other settings.",
      valueName: "bitrate"))
  var encode: Int?
  @Option(
    help: ArgumentHelp(
      "Folder, or one file, to serve on demand in place of an upstream.", valueName: "path"))
  var files: String?
  @Option(
    help: ArgumentHelp(
      "How much of a file goes out at full speed; the rest goes at playing speed.",
      valueName: "time"))
  var throttleBypass: String?
  @Flag(inversion: .prefixedNo, help: "Whether the station is pulled only while somebody listens.")
  var onDemand: Bool?
  @Option(
    help: ArgumentHelp(
      "How long to keep pulling after the last listener leaves.", valueName: "time"))
  var runOn: String?
  @Option(
    help: ArgumentHelp(
      "Password that an encoder must send to push audio; --source-password-file keeps it out of ps.",
      valueName: "secret")
  )
  var sourcePassword: String?
  @Option(
    help: ArgumentHelp(
      "File with that password; - reads standard input, and asks on a terminal.",
      valueName: "file"),
    completion: .file())
  var sourcePasswordFile: String?
  @Option(help: ArgumentHelp("Codec to assume when the bytes do not tell.", valueName: "type"))
  var type: String?
  @Option(help: ArgumentHelp("Name that the upstream is told (User-Agent).", valueName: "name"))
  var userAgent: String?
  @Flag(inversion: .prefixedNo, help: "Whether the upstream is asked for ICY titles.")
  var icy: Bool?
  @Option(
    help: ArgumentHelp(
      "Further header for the upstream, such as 'Referer: https://example.org/'; may be given "
        + "several times.",
      valueName: "line"))
  var requestHeader: [String] = []
  @Option(
    help: ArgumentHelp(
      "Proxy on the way to the upstream, such as socks5h://127.0.0.1:1080.", valueName: "url"))
  var proxy: String?
  @Flag(inversion: .prefixedNo, help: "Whether the upstream's certificate must be valid.")
  var verifyTls: Bool?
  @Option(help: ArgumentHelp("PEM file of the certificate authority to trust.", valueName: "pem"))
  var caFile: String?
  @Flag(
    inversion: .prefixedNo,
    help: "Whether redirects and playlists may lead to private addresses and this machine.")
  var allowPrivate: Bool?
  @Option(
    help: ArgumentHelp(
      "Charset of titles that are not UTF-8: auto, detect, utf-8-twice or a name.",
      valueName: "charset"))
  var metadataEncoding: String?
  @Option(
    help: ArgumentHelp(
      "Charset that detect may choose; may be given several times.", valueName: "charset"))
  var metadataCandidate: [String] = []
  @Option(
    help: ArgumentHelp(
      "Pattern that takes titles apart, such as '{artist} - {title}'; may be given several times.",
      valueName: "pattern"))
  var titlePattern: [String] = []
  @Option(
    help: ArgumentHelp(
      "Page that says what is playing, in place of the upstream's titles.", valueName: "url"))
  var metadata: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How much later titles take effect than announced; a negative time is earlier.",
      valueName: "duration"))
  var titleShift: String?

  func validate() throws {
    if sourcePassword != nil, sourcePasswordFile != nil {
      throw ValidationError("Give --source-password or --source-password-file, not both")
    }
  }

  /// Checks, of a station to be added, the options for what is made of another station.
  func validateCopy(besides urls: [String]) throws {
    switch (of, delay, encode) {
    case (nil, nil, nil): break
    case (nil, nil, _?):
      throw ValidationError("--encode needs --of, the station that is encoded anew")
    case (nil, _?, _): throw ValidationError("--delay needs --of, the station that is heard later")
    case (_?, nil, nil):
      throw ValidationError(
        "--of needs --delay TIME, to be heard later, or --encode BITRATE, to be heard in fewer bits"
      )
    case (_?, _?, _?):
      throw ValidationError(
        "--delay and --encode exclude each other; add two stations, one of them with --encode")
    case (_?, _, _):
      if urls.isEmpty { break }
      throw ValidationError("--of says where the audio comes from; leave out the URL")
    }
  }

  fileprivate func secrets() throws -> [JSON.Member] {
    guard let sourcePasswordFile else { return [] }
    let secret = try Secret.read(from: sourcePasswordFile, asking: "Password of the source")
    return [.init(key: "sourcePassword", value: .string(secret))]
  }

  fileprivate var members: [JSON.Member] {
    given.filter { $0.key != "sourcePasswordFile" }.map {
      $0.key == "encode" ? .init(key: $0.key, value: ["bitrate": $0.value]) : $0
    }
  }
}

extension ParsableArguments {
  /// The options that were given, as members of a body.
  fileprivate var given: [JSON.Member] {
    Mirror(reflecting: self).children.compactMap { label, option in
      // A property's wrapper is named like the property, with an underscore in front.
      guard let name = label?.dropFirst(), let value = GivenValue.json(option) else { return nil }
      let long = "--\(SettingKey.file(String(name)))"
      let key = StationOptions.names.first { $0.value == long }?.key
      return JSON.Member(key: key ?? String(name), value: value)
    }
  }
}

private enum GivenValue {
  /// Returns the value given to an option or a flag; nil when it was not given.
  static func json(_ option: Any) -> JSON? {
    switch option {
    case let text as Option<String?>: text.wrappedValue.map(JSON.string)
    case let number as Option<Int?>: number.wrappedValue.map { .string(String($0)) }
    case let flag as Flag<Bool?>: flag.wrappedValue.map(JSON.bool)
    case let list as Option<[String]>:
      list.wrappedValue.isEmpty ? nil : .array(list.wrappedValue.map(JSON.string))
    default: nil
    }
  }
}
