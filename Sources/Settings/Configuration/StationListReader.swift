import Wire

/// Reads `stations:`, and checks what is known only with all of them.
package enum StationListReader {
  /// Stations in their order, with the lines on which they begin and the readers of their keys, by id.
  package struct List {
    package var stations: [StationDefinition] = []
    var lines: [String: Int] = [:]
    var readers: [String: SettingReader] = [:]
  }

  package static func stations(
    _ node: SettingNode?, _ problems: SettingReader.Problems
  ) -> List {
    switch node?.content {
    case .none, .nothing: return List()
    case .list(let items) where items.count > ConfigurationLimits.stationsMax:
      problems.add(tooMany(items.count), key: "stations", line: node?.line ?? 0)
      return List()
    case .list(let items):
      var seen = Seen()
      let all = items.enumerated().flatMap { index, item in
        stations(item, path: "stations[\(index)]", problems, &seen)
      }
      return List(stations: all, lines: seen.ids, readers: seen.readers)
    case .text, .fields:
      problems.add(
        "must be a list; begin each station with - id:", key: "stations", line: node?.line ?? 0)
      return List()
    }
  }

  static func tooMany(_ count: Int) -> String {
    "has \(count) stations; a relay has at most \(ConfigurationLimits.stationsMax)"
  }

  /// The lines on which ids and paths were first given.
  private struct Seen {
    var ids: [String: Int] = [:]
    var paths: [String: Int] = [:]
    var readers: [String: SettingReader] = [:]
  }

  /// Returns a station and its renditions.
  private static func stations(
    _ item: SettingNode, path: String, _ problems: SettingReader.Problems, _ seen: inout Seen
  ) -> [StationDefinition] {
    guard let (station, reader) = StationDefinition.read(item, path: path, problems) else {
      return []
    }
    let made = RenditionSettings.read(reader).map { $0.station(of: station) }
    if !made.isEmpty, station.kind.noOriginal != nil {
      reader.report(
        "goes with upstream: or command:, whose audio is encoded anew", key: "renditions")
    }
    return ([station] + made).compactMap { note($0, reader, line: item.line, &seen) }
  }

  /// Returns a station whose id and paths are its own.
  private static func note(
    _ station: StationDefinition, _ reader: SettingReader, line: Int, _ seen: inout Seen
  ) -> StationDefinition? {
    let isOfList = station.kind.isRendition && reader.field("renditions") != nil
    let key = isOfList ? "renditions" : "id"
    if let line = seen.ids[station.id] {
      reader.report("\"\(station.id)\" is already the station of line \(line)", key: key)
      return nil
    }
    if let problem = StationID.problem(station.id) {
      reader.report("\"\(station.id)\" \(problem)", key: key)
    }
    seen.ids[station.id] = reader.field(key)?.line ?? line
    seen.readers[station.id] = reader
    for mount in station.paths {
      if let line = seen.paths[mount] {
        reader.report("\(mount) already leads to the station of line \(line)", key: "mounts")
      }
      seen.paths[mount] = line
    }
    return station
  }
}

extension StationDefinition {
  /// Reads one station from its keys; nil when its id is missing, which has been noted.
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
    var station = StationDefinition(id: "", upstream: [])
    StationKeys.all.read(reader, into: &station)
    return station.id.isEmpty ? nil : (station, reader)
  }

  /// Reads `record:`, a flag or entries of a schedule.
  mutating func readRecord(_ reader: SettingReader) {
    if case .text(let word)? = reader.node("record")?.content, ["false", "true"].contains(word) {
      allowsRecording = word == "true"
    } else {
      record = RecordingRule.read(reader)
    }
  }

  /// `record:` in request bodies and the store; null when nothing is recorded.
  var recordJSON: JSON {
    if !allowsRecording { return .bool(false) }
    return .list(record.map(\.json))
  }
}
