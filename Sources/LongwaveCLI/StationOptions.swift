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
  @Option(help: "Its name; else what the upstream calls itself.") var name: String?
  @Option(help: "What it plays, for directories and players.") var genre: String?
  @Option(help: "A sentence about it.") var description: String?
  @Option(help: ArgumentHelp("Its web page.", valueName: "url")) var homepage: String?
  @Option(help: ArgumentHelp("Its picture.", valueName: "url")) var artwork: String?
  @Flag(inversion: .prefixedNo, help: "Whether stream directories may list it.")
  var `public`: Bool?
  @Option(help: ArgumentHelp("A further path; may be given several times.", valueName: "path"))
  var mount: [String] = []
}

struct StationServing: ParsableArguments {
  @Option(help: ArgumentHelp("How much past to keep; 0 none.", valueName: "time"))
  var window: String?
  @Option(help: ArgumentHelp("How much is sent at once on joining.", valueName: "time"))
  var burst: String?
  @Option(
    help: ArgumentHelp(
      "Who is too slow for live: shift keeps the place, skip jumps, drop ends.", valueName: "word"))
  var behind: String?
  @Option(
    help: ArgumentHelp("How far behind is too slow, for skip and drop.", valueName: "time"))
  var maxLag: String?
  @Option(
    help: ArgumentHelp(
      "What listeners get while no upstream delivers: silence, station:ID or file:/PATH.",
      valueName: "what"))
  var fallback: String?
  @Option(
    help: ArgumentHelp(
      "How long nothing must have come before any of them does.", valueName: "time"))
  var fallbackAfter: String?
  @Option(
    help: ArgumentHelp(
      "When levels and loudness are measured: always, or while watched.", valueName: "word"))
  var levels: String?
  @Flag(
    inversion: .prefixedNo,
    help: "Whether listeners whose line is too slow get a rendition of fewer bits.")
  var stepDown: Bool?
  @Flag(inversion: .prefixedNo, help: "Whether listeners may go elsewhere than live.")
  var shift: Bool?
  @Option(help: ArgumentHelp("How far back they may go at most.", valueName: "time"))
  var offsetMax: String?
  @Flag(inversion: .prefixedNo, help: "Whether clips are given; else as --shift says.")
  var clip: Bool?
  @Option(help: ArgumentHelp("At most so many listeners at once.", valueName: "number"))
  var maxListeners: Int?
  @Option(help: ArgumentHelp("How long one may listen; 0 for ever.", valueName: "time"))
  var maxListeningTime: String?
  @Option(
    help: ArgumentHelp(
      "Only these addresses may listen, such as 10.0.0.0/8; several times.", valueName: "range"))
  var allow: [String] = []
  @Option(help: ArgumentHelp("These addresses may not; several times.", valueName: "range"))
  var deny: [String] = []
  @Option(
    help: ArgumentHelp("These players may not, such as 'Bot*'; several times.", valueName: "name"))
  var denyAgent: [String] = []

  @Option(
    help: ArgumentHelp(
      "What is recorded every week, such as 'weekdays 18:00-19:30'; several times.",
      valueName: "entry"))
  var record: [String] = []
  @Flag(help: "Nothing may be recorded of it; take that away with --unset record.")
  var noRecord = false
  @Option(
    help: ArgumentHelp("Of the times in --record, such as Europe/Berlin.", valueName: "zone"))
  var timeZone: String?

  fileprivate var members: [JSON.Member] {
    if !noRecord { return given }
    return given.filter { $0.key != "record" } + [.init(key: "record", value: .bool(false))]
  }
}

struct StationPulling: ParsableArguments {
  @Option(
    help: "The station that this one is, later (--delay) or in fewer bits (--encode).",
    completion: .stations)
  var of: String?
  @Option(help: ArgumentHelp("How much later, such as 8h.", valueName: "time")) var delay: String?
  @Option(
    help: ArgumentHelp(
      "kbit/s of the MP3 that is made of --of; all else about it in the configuration.",
      valueName: "bitrate"))
  var encode: Int?
  @Option(
    help: ArgumentHelp(
      "A folder, or one file, to serve on demand, in place of an upstream.", valueName: "path"))
  var files: String?
  @Option(
    help: ArgumentHelp(
      "How much of a file goes out at once; then it goes as it plays.", valueName: "time"))
  var throttleBypass: String?
  @Flag(inversion: .prefixedNo, help: "Pull it only while somebody listens.")
  var onDemand: Bool?
  @Option(help: ArgumentHelp("How long it goes on when nobody does.", valueName: "time"))
  var runOn: String?
  @Option(
    help: ArgumentHelp(
      "What a source must know that pushes (upstream push:). Every user of this machine sees it in "
        + "ps: better --source-password-file.", valueName: "secret")
  )
  var sourcePassword: String?
  @Option(
    help: ArgumentHelp(
      "A file with it; - is standard input, where a terminal asks.", valueName: "file"),
    completion: .file())
  var sourcePasswordFile: String?
  @Option(help: ArgumentHelp("What its bytes are, where they do not tell.", valueName: "type"))
  var type: String?
  @Option(help: ArgumentHelp("What we call ourselves to its upstream.", valueName: "name"))
  var userAgent: String?
  @Flag(inversion: .prefixedNo, help: "Whether its upstream is asked for ICY titles.")
  var icy: Bool?
  @Option(
    help: ArgumentHelp(
      "A further header, such as 'Referer: https://example.org/'; several times.",
      valueName: "line"))
  var requestHeader: [String] = []
  @Option(
    help: ArgumentHelp(
      "The way to its upstream, such as socks5h://127.0.0.1:1080.", valueName: "url"))
  var proxy: String?
  @Flag(inversion: .prefixedNo, help: "Whether the upstream's certificate must be good.")
  var verifyTls: Bool?
  @Option(help: ArgumentHelp("Who vouches for it, in place of the system.", valueName: "pem"))
  var caFile: String?
  @Flag(
    inversion: .prefixedNo,
    help: "Whether servers of the world may lead to private addresses and this machine.")
  var allowPrivate: Bool?
  @Option(
    help: ArgumentHelp(
      "How titles are read that are not UTF-8: auto, detect, utf-8-twice or a charset.",
      valueName: "charset"))
  var metadataEncoding: String?
  @Option(
    help: ArgumentHelp("What detect chooses between; several times.", valueName: "charset"))
  var metadataCandidate: [String] = []
  @Option(
    help: ArgumentHelp(
      "How a title is taken apart, such as '{artist} - {title}'; several times.",
      valueName: "pattern"))
  var titlePattern: [String] = []
  @Option(
    help: ArgumentHelp(
      "A page that says what is playing, in place of the upstream's titles.", valueName: "url"))
  var metadata: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How much later titles take effect than announced; negative: earlier.",
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
