import ArgumentParser
import Longwave
import LongwaveAdmin

/// The settings of a station for `add` and `edit`: an option for each key whose row has one, and what no row knows.
struct StationOptions: ParsableArguments {
  @OptionGroup(title: "About it") var details: KeyOptions<KeysAbout>
  @OptionGroup(title: "How it is served") var serving: StationServing
  @OptionGroup(title: "How it is pulled") var pulling: StationPulling

  /// Returns the words of the command line for the keys of a body, and for those that it lacks.
  static func names(of body: JSON) -> [String: String] {
    var names = Dictionary(
      uniqueKeysWithValues: KeyOption.all.map { ($0.member, "--\($0.name)") })
    names["upstream"] = "--upstream"
    // A secret belongs on no command line.
    if body["sourcePassword"] == nil { names["sourcePassword"] = "--source-password-file" }
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

/// A programme of one source, for `add`; with several sources it is written in the configuration, or as a body.
struct StationProgramme: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Folder whose music it plays, in place of an upstream.", valueName: "path"),
    completion: .directory)
  var folder: String?
  @Option(
    help: ArgumentHelp(
      "What it plays in place of a folder: a collection, folder:/PATH or list:/PATH.",
      valueName: "source"))
  var play: String?
  @Flag(help: "Play it in an order that is new each time through.")
  var shuffle = false
  @Option(
    name: .customLong("repeat"),
    help: ArgumentHelp(
      "What follows its last track: all, one (this track again) or none.",
      valueName: "word"))
  var repeats: String?
  @Option(
    help: ArgumentHelp(
      "How one track follows another: gapless (of MP3, if it is not given), fade or cut.",
      valueName: "word"))
  var join: String?
  @Option(
    help: ArgumentHelp(
      "How loud tracks are made by what their tags say of them, -30 to -8 LUFS. Not given: as they are.",
      valueName: "lufs"))
  var loudness: String?

  private var source: String? { play ?? folder.map { "folder:" + $0 } }

  /// The options beside the source that are given.
  private var given: [(name: String, key: String, value: String)] {
    let all: [(String, String, String?)] = [
      ("shuffle", "order", shuffle ? "shuffle" : nil), ("repeat", "repeat", repeats),
      ("join", "join", join), ("loudness", "loudness", loudness),
    ]
    return all.compactMap { name, key, value in value.map { (name, key, $0) } }
  }

  func validate() throws {
    if folder != nil, play != nil {
      throw ValidationError("Give --folder or --play, not both")
    }
    if source == nil, let option = given.first {
      throw ValidationError("--\(option.name) needs --folder or --play, whose music is played")
    }
  }

  /// The words of the command line for keys of the programme.
  var names: [String: String] {
    let source = play == nil ? "--folder" : "--play"
    return [
      "programme": source, "programme.play": source, "programme.repeat": "--repeat",
      "programme.join": "--join", "programme.loudness": "--loudness",
    ]
  }

  /// The given options as members of a body.
  var members: [JSON.Member] {
    guard let source else { return [] }
    var keys: [JSON.Member] = [.init(key: "play", value: .string(source))]
    keys += given.map { .init(key: $0.key, value: .string($0.value)) }
    return [.init(key: "programme", value: .object(keys))]
  }
}

struct StationServing: ParsableArguments {
  @OptionGroup var keys: KeyOptions<KeysOfServing>
  @Flag(help: "Forbid all recordings of the station; --unset record allows them again.")
  var noRecord = false

  fileprivate var members: [JSON.Member] {
    if !noRecord { return keys.given }
    return keys.given.filter { $0.key != "record" } + [.init(key: "record", value: .bool(false))]
  }
}

struct StationPulling: ParsableArguments {
  @OptionGroup var keys: KeyOptions<KeysOfPulling>
  @Option(
    help: ArgumentHelp(
      "File with the source's password; - reads standard input, and asks on a terminal.",
      valueName: "file"),
    completion: .file())
  var sourcePasswordFile: String?

  private func has(_ key: String) -> Bool { keys.given.contains { $0.key == key } }

  func validate() throws {
    if has("sourcePassword"), sourcePasswordFile != nil {
      throw ValidationError("Give --source-password or --source-password-file, not both")
    }
  }

  /// Checks, of a station to be added, the options for what is made of another station.
  func validateCopy(besides urls: [String]) throws {
    switch (has("of"), has("delay"), has("encode")) {
    case (false, false, false): break
    case (false, false, true):
      throw ValidationError("--encode needs --of, the station that is encoded anew")
    case (false, true, _):
      throw ValidationError("--delay needs --of, the station that is heard later")
    case (true, false, false):
      throw ValidationError(
        "--of needs --delay TIME, to be heard later, or --encode BITRATE, to be heard in fewer bits"
      )
    case (true, true, true):
      throw ValidationError(
        "--delay and --encode exclude each other; add two stations, one of them with --encode")
    case (true, _, _):
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
    keys.given.map {
      $0.key == "encode" ? .init(key: $0.key, value: ["bitrate": $0.value]) : $0
    }
  }
}
