import Ingest
import Server
import Wire

/// Reads `stations:`, and what only shows when all of them are known.
enum StationListReader {
  static func stations(
    _ node: SettingNode?, _ problems: SettingReader.Problems
  ) -> (stations: [StationDefinition], lines: [String: Int]) {
    switch node?.content {
    case .none, .nothing: return ([], [:])
    case .list(let items) where items.count > ConfigurationLimits.stationsMax:
      problems.add(
        "has \(items.count) stations; a relay has at most \(ConfigurationLimits.stationsMax)",
        key: "stations", line: node?.line ?? 0)
      return ([], [:])
    case .list(let items):
      var seen = Seen()
      let stations = items.enumerated().compactMap { index, item in
        station(item, path: "stations[\(index)]", problems, &seen)
      }
      return (stations, seen.ids)
    case .text, .fields:
      problems.add(
        "must be a list; begin each station with - id:", key: "stations", line: node?.line ?? 0)
      return ([], [:])
    }
  }

  /// The lines on which ids and paths were first given.
  private struct Seen {
    var ids: [String: Int] = [:]
    var paths: [String: Int] = [:]
  }

  private static func station(
    _ item: SettingNode, path: String, _ problems: SettingReader.Problems, _ seen: inout Seen
  ) -> StationDefinition? {
    guard let (station, reader) = StationDefinition.read(item, path: path, problems) else {
      return nil
    }
    if let line = seen.ids[station.id] {
      reader.report("\"\(station.id)\" is already the station of line \(line)", key: "id")
      return nil
    }
    seen.ids[station.id] = reader.field("id")?.line ?? item.line
    for mount in station.paths {
      if let line = seen.paths[mount] {
        reader.report("\(mount) already leads to the station of line \(line)", key: "mounts")
      }
      seen.paths[mount] = item.line
    }
    return station
  }
}

extension StationDefinition {
  /// One station from its keys; nil when it cannot be said which station it is, which has been noted.
  static func read(
    _ node: SettingNode, path: String, _ problems: SettingReader.Problems
  ) -> (StationDefinition, SettingReader)? {
    let reader = SettingReader(
      node, path: path, known: ConfigurationKeys.station, problems: problems)
    guard case .fields = node.content else {
      if case .nothing = node.content {
        problems.add("is empty; write id: and upstream:", key: path, line: node.line)
      }
      return nil
    }
    var id: String?
    reader.read("id", into: &id, .stationID)
    if reader.field("id") == nil {
      reader.report("is missing; write \(StationID.wanted)", key: "id")
    }
    var station = StationDefinition(id: id ?? "", source: .read(reader, of: id))
    station.readRest(reader)
    return id == nil ? nil : (station, reader)
  }

  /// Everything but the id and the source.
  private mutating func readRest(_ reader: SettingReader) {
    reader.read("name", into: &name, .text())
    reader.read("description", into: &description, .text(max: 1024))
    reader.read("genre", into: &genre, .text())
    reader.read("homepage", into: &homepage, .webURL)
    reader.read("artwork", into: &artwork, .webURL)
    reader.read("public", into: &isPublic, .flag)
    reader.readList("mounts", into: &mounts, .mountPath)
    reader.read("window", into: &window, .duration(ConfigurationLimits.window))
    reader.read("burst", into: &burst, .duration(ConfigurationLimits.burst))
    reader.read("behind", into: &behind, .word)
    reader.read("max-lag", into: &lagMax, .duration(ConfigurationLimits.lagMax))
    reader.read("pause-timeout", into: &pauseTimeout, .duration(ConfigurationLimits.pauseTimeout))
    reader.read("metaint", into: &metaint, .integer(ConfigurationLimits.metaint))
    reader.read("user-agent", into: &userAgent, .text())
    reader.read("shift", into: &shift, .flag)
    reader.read("offset-max", into: &offsetMax, .duration(ConfigurationLimits.offsetMax))
    if shift == false, offsetMax != nil {
      reader.report("goes with shift: true; leave one of them out", key: "offset-max")
    }
    reader.read("clip", into: &clip, .flag)
    reader.read(
      "max-listeners", into: &listenersMax, .integer(ConfigurationLimits.listenersMax))
    reader.read(
      "max-listening-time", into: &listeningTimeMax, .duration(ConfigurationLimits.listeningTime))
    access.read(reader)
    auth = AuthSettings.read(reader)
    reader.read("type", into: &type, .word)
    connection.read(reader)
    reader.read("on-demand", into: &onDemand, .flag)
    reader.read("run-on", into: &runOn, .duration(ConfigurationLimits.runOn))
    reader.read("fallback", into: &fallback, .fallback)
    reader.read(
      "fallback-after", into: &fallbackAfter, .duration(ConfigurationLimits.fallbackAfter))
    reader.read("source-password", into: &sourcePassword, .token)
    if takesSources, sourcePassword ?? "" == "", reader.field("source-password")?.node == nil {
      reader.report(
        "is missing; a station with push: among its upstreams needs one (by command: "
          + "--source-password-file)", key: "source-password")
    }
    encoding = reader.encoding()
    reader.readList("title-pattern", into: &titlePatterns, .titlePattern)
    metadata = MetadataSettings.read(reader)
    reader.read("title-shift", into: &titleShift, .duration(ConfigurationLimits.titleShift))
    if case .text(let word)? = reader.node("record")?.content, ["false", "true"].contains(word) {
      allowsRecording = word == "true"
    } else {
      record = RecordingRule.read(reader)
    }
    reader.read("time-zone", into: &timeZone, .timeZone)
  }
}

extension StationSource {
  /// What the keys say; where they contradict each other, which is noted, the first of files, of and upstream.
  fileprivate static func read(_ reader: SettingReader, of id: String?) -> StationSource {
    var (urls, original, delay) = ([String](), String?.none, Double?.none)
    reader.read("of", into: &original, .stationID)
    reader.read("delay", into: &delay, .duration(ConfigurationLimits.delay))
    let files = readFiles(reader)
    reader.readList("upstream", into: &urls, .upstreamURL, endingInColon: true)
    if reader.field("files") != nil {
      refuseBesideFiles(reader)
      return files
    }
    if reader.field("of") != nil {
      check(copyOf: original, urls, reader, of: id)
      return .copy(of: original ?? "", delay: delay ?? 0)
    }
    check(urls, reader)
    return .upstream(urls)
  }

  private static func check(_ urls: [String], _ reader: SettingReader) {
    refuseDelay(reader)
    switch reader.field("upstream")?.node.content {
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

  private static func check(
    copyOf original: String?, _ urls: [String], _ reader: SettingReader, of id: String?
  ) {
    if !urls.isEmpty {
      reader.report(
        "has no place beside of:, which says where the audio comes from", key: "upstream")
    }
    if reader.field("delay") == nil {
      reader.report("is missing; write how much later, such as 8h", key: "delay")
    }
    if original == id { reader.report("is the station itself; name another one", key: "of") }
  }
}
