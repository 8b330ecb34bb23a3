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
    let problems = SettingReader.Problems(file: file, sections: ConfigurationKeys.sections)
    let root = try YAMLDocument.root(of: yaml, file: file)
    var configuration = Configuration()
    configuration.file = file
    configuration.text = kept(yaml)
    configuration.read(root, problems)
    guard problems.list.isEmpty else {
      throw ConfigurationError(
        problems: problems.list.sorted { ($0.line, $0.key) < ($1.line, $1.key) })
    }
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
    func section(_ key: String, _ known: [String]) -> SettingReader {
      SettingReader(top.node(key), path: key, known: known, problems: problems)
    }
    server.read(section("server", ConfigurationKeys.server))
    timeshift.read(section("timeshift", ConfigurationKeys.timeshift))
    recordings.read(section("recordings", ConfigurationKeys.recordings))
    let own = section("listeners", ConfigurationKeys.listeners)
    listeners.read(own)
    own.read(
      "max-per-address", into: &server.listenersPerAddress,
      .integer(ConfigurationLimits.perAddress))
    own.read(
      "max-starts-per-address", into: &server.startsPerAddress,
      .integer(ConfigurationLimits.perAddress))
    own.read(
      "max-clips-per-address", into: &server.clipsPerAddress,
      .integer(ConfigurationLimits.perAddress))
    own.read("clip-speed", into: &server.clipSpeed, .integer(ConfigurationLimits.clipSpeed))
    own.read(
      "session-timeout", into: &sessions.timeout, .duration(ConfigurationLimits.sessionTimeout))
    own.read(
      "max-sessions", into: &sessions.sessionsMax, .integer(ConfigurationLimits.sessionsMax))
    upstream.read(section("upstream", ConfigurationKeys.upstream))
    log.read(section("log", ConfigurationKeys.log))
    let administration = section("admin", ConfigurationKeys.admin)
    administration.read("token", into: &admin.token, .token)
    administration.read("socket-group", into: &admin.socketGroup, .account)
    web.read(section("web", ConfigurationKeys.web))
    metrics.read(section("metrics", ConfigurationKeys.metrics))
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
  fileprivate mutating func read(_ section: SettingReader) {
    section.readList("listen", into: &listen, .listenAddress)
    if case .list(let items)? = section.node("listen")?.content, items.isEmpty {
      section.report("is empty; write at least one HOST:PORT", key: "listen")
    }
    section.readList("shoutcast-listen", into: &shoutcastListen, .listenAddress)
    refuseCollisions(section)
    section.read("data", into: &data, .text(max: 4096, wanted: "the path of a folder"))
    section.read("threads", into: &threads, .integer(ConfigurationLimits.threads))
    section.read("max-listeners", into: &listenersMax, .integer(ConfigurationLimits.listenersMax))
    isListenersMaxWritten = section.field("max-listeners") != nil
    let connections = ConfigurationLimits.connectionsMax
    section.read("max-connections", into: &connectionsMax, .integer(connections))
    section.read(
      "max-connections-per-address", into: &connectionsPerAddress, .integer(connections))
    section.read("max-watchers", into: &watchersMax, .integer(connections))
    section.read("max-watchers-per-address", into: &watchersPerAddress, .integer(connections))
    section.read("public-url", into: &publicURL, .webURL)
    section.readList("paths", into: &paths, .folder)
    tls = TLSSettings.read(section)
    let common = StationDefinition.common(section, ConfigurationKeys.access + ["time-zone"])
    (access, timeZone) = (common.access, common.timeZone)
    section.readList("trusted-proxies", into: &trustedProxies, .addressRange)
    section.read("proxy-protocol", into: &hasProxyHeaders, .flag)
    if hasProxyHeaders, trustedProxies.isEmpty {
      section.report("is for trusted proxies; list them in trusted-proxies:", key: "proxy-protocol")
    }
    while publicURL?.hasSuffix("/") == true { publicURL?.removeLast() }
  }
}

extension ServerSection {
  private func refuseCollisions(_ section: SettingReader) {
    if let collision = listen.collision { section.report(collision, key: "listen") }
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

extension TimeshiftSection {
  fileprivate mutating func read(_ section: SettingReader) {
    section.read("window", into: &window, .duration(ConfigurationLimits.window))
    section.read("disk-limit", into: &diskLimit, .size(ConfigurationLimits.diskLimit))
    section.read("disk-reserve", into: &diskReserve, .duration(ConfigurationLimits.window))
  }
}

extension RecordingSection {
  fileprivate mutating func read(_ section: SettingReader) {
    section.read("folder", into: &folder, .folder)
    section.read("disk-limit", into: &diskLimit, .size(ConfigurationLimits.diskLimit))
    keep.read(section)
  }
}

extension ValueRule where Value == String {
  static var folder: ValueRule {
    let wanted = "the path of a folder, beginning with a slash"
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      let text = try ValueRule.text(max: 4096, wanted: wanted).parse(text)
      guard text.hasPrefix("/") else { throw InvalidValue("\"\(text)\" is not \(wanted)") }
      return text
    }
  }
}

extension ListenerSettings {
  fileprivate mutating func read(_ section: SettingReader) {
    self = StationDefinition.common(section, ConfigurationKeys.listeners).listenerSettings(self)
    section.read("paused", into: &paused, .word)
  }
}

extension UpstreamSettings {
  fileprivate mutating func read(_ section: SettingReader) {
    self = StationDefinition.common(section, ConfigurationKeys.upstream).upstreamSettings(self)
  }
}
