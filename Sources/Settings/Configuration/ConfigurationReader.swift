import Foundation
import Ingest
import Reactor
import Server
import Timeshift
import Yams

extension Configuration {
  /// Reads a file; `LONGWAVE_ADMIN_TOKEN` replaces its `admin.token`.
  ///
  /// Throws everything that is wrong with the file, one line for each problem.
  public static func load(
    file path: String, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ConfigurationError) -> Configuration {
    guard let yaml = String(bytes: try NamedFile.contents(ofFile: path), encoding: .utf8) else {
      throw ConfigurationError(path, "is not UTF-8; save it as UTF-8")
    }
    var configuration = try parse(yaml: yaml, file: path)
    try configuration.apply(environment)
    return configuration
  }

  /// Reads the text of a file; `file` is its name in messages.
  public static func parse(
    yaml: String, file: String
  ) throws(ConfigurationError) -> Configuration {
    let root = try YAMLDocument.root(
      of: yaml, file: file, known: ConfigurationKeys.names)
    let problems = SettingReader.Problems(
      file: file, sections: ConfigurationKeys.sections,
      secrets: root.map { root in { ConfigurationKeys.tree.secrets(in: root) } })
    var configuration = Configuration()
    configuration.file = file
    configuration.text = kept(yaml)
    configuration.read(root, problems)
    if let error = problems.error { throw error }
    configuration.stationsRead = configuration.stations
    return configuration
  }

  /// Applies values of the environment, which replace those of the file.
  public mutating func apply(
    _ environment: [String: String]
  ) throws(ConfigurationError) {
    guard let token = environment["LONGWAVE_ADMIN_TOKEN"] else { return }
    do throws(InvalidValue) {
      admin.token = try ValueRule<String>.token.parse(token)
    } catch {
      throw ConfigurationError("LONGWAVE_ADMIN_TOKEN", error.message)
    }
  }

  private mutating func read(_ root: SettingNode?, _ problems: SettingReader.Problems) {
    let top = SettingReader(
      root, path: "", known: ConfigurationKeys.top, problems: problems)
    for section in GlobalKeys.sections {
      let reader = SettingReader(
        top.node(section.name), path: section.name, known: section.rows.names(), problems: problems)
      section.rows.read(reader, into: &self)
    }
    webhooks = WebhookSettings.read(top)
    let list = StationListReader.stations(top.node("stations"), problems)
    (stations, stationLines) = (list.stations, list.lines)
    let known = Dictionary(stations.map { ($0.id, $0) }) { first, _ in first }
    for station in stations {
      guard let original = station.parent, original != station.id else { continue }
      check(station, of: original, known, list.readers[station.id], problems)
    }
    for station in stations {
      checkFallback(of: station, known, list.readers[station.id], problems)
    }
  }

  private func checkFallback(
    of station: StationDefinition, _ known: [String: StationDefinition], _ keys: SettingReader?,
    _ problems: SettingReader.Problems
  ) {
    var problem = station.fallbackProblem(known: known.keys) { known[$0] }
    if case .file(let path)? = station.fallback, problem == nil {
      do throws(FallbackFile.Failure) {
        _ = try FallbackFile(path: path).format()
      } catch {
        problem = "\(error)"
      }
    }
    guard let problem else { return }
    // Where `fallback:` is missing, the key that asks for it.
    let line = keys?.line(of: "fallback") ?? keys?.line(of: "silence", "fallback")
    problems.add(
      problem, key: "stations.\(station.id).fallback", line: line ?? stationLines[station.id] ?? 0)
  }

  /// Checks what is known of a copy or a rendition only after all stations have been read.
  private func check(
    _ station: StationDefinition, of id: String, _ known: [String: StationDefinition],
    _ keys: SettingReader?, _ problems: SettingReader.Problems
  ) {
    func note(_ message: String, _ key: String) {
      let line = keys?.line(of: key) ?? stationLines[station.id] ?? 0
      problems.add(message, key: "stations.\(station.id).\(key)", line: line)
    }
    guard let original = known[id] else {
      return note(KeySuggestion.noStation(id, besides: station.id, among: known.keys), "of")
    }
    let window = original.window ?? timeshift.window
    guard let problem = original.problem(heardBy: station, window: window) else { return }
    note(problem.message, problem.key)
  }
}

extension ConfigurationError {
  package init(_ file: String, line: Int = 0, key: String = "", _ message: String) {
    problems = [ConfigurationProblem(file: file, line: line, key: key, message: message)]
  }
}

extension ServerSection {
  func refuseShoutcastCollisions(_ section: SettingReader) {
    if let collision = shoutcastListen.collision {
      section.report(collision, key: "shoutcast-listen")
    }
    for address in shoutcastListen {
      guard let other = listen.first(where: { $0.excludes(address) }) else { continue }
      let place = Self.meeting(address, other)
      section.report(
        "\(address) \(place) where listeners connect; write the port after it",
        key: "shoutcast-listen")
      return
    }
  }

  private static func meeting(_ address: SocketAddress, _ other: SocketAddress) -> String {
    if address == other { return "is" }
    return address.contains(other) ? "holds \(other)," : "is in \(other),"
  }
}
