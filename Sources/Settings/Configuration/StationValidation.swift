import Reactor
import Wire

// Definitions that a program makes have passed no reader: they are read as if a file had them.

extension StationDefinition {
  /// Returns the definition as a file that says the same would be read.
  ///
  /// Throws `RelayError.badField`, with the key as request bodies have it, for the first mistake that a file would be
  /// refused for. Such are an id that cannot name a folder, an upstream that is no URL, a number out of its range.
  public func validated() throws(RelayError) -> StationDefinition {
    let problems = SettingReader.Problems(file: "", sections: ConfigurationKeys.sections)
    let station = validated(path: "", problems)
    try StationBody.refuse(problems)
    return station
  }

  /// Returns the definition as it is read, and notes everything that is wrong with it.
  fileprivate func validated(
    path: String, _ problems: SettingReader.Problems
  ) -> StationDefinition {
    var written = self
    if case .command(let program) = source, program.readsInput {
      // Standard input has no key. It is a program as others are, with or without encode:.
      written.source = .command(ProgramCall(["-"], in: program.folder))
    }
    let node = SettingNode(json: written.json.withoutNulls)
    guard let read = Self.read(node, path: path, problems)?.0 else { return self }
    var station = self
    // Only here one thing is written in several ways: `push` is `push:`, and `alsa:` is no URL.
    if case .upstream = source { station.source = read.source }
    return station
  }
}

extension Configuration {
  /// Returns the configuration with its stations as a file that says the same would be read.
  ///
  /// Throws `RelayError.badConfiguration` with everything that is wrong with a station, and with ids and paths that two
  /// stations have. Stations that come from a file have been checked when it was read.
  public func validated() throws(RelayError) -> Configuration {
    if stations == stationsRead { return self }
    let problems = SettingReader.Problems(file: file ?? "", sections: ConfigurationKeys.sections)
    if stations.count > ConfigurationLimits.stationsMax {
      problems.add(StationListReader.tooMany(stations.count), key: "stations", line: 0)
    }
    var configuration = self
    var (ids, paths): ([String: String], [String: String]) = ([:], [:])
    for (index, station) in stations.enumerated() {
      let place = "stations[\(index)]"
      configuration.stations[index] = station.validated(path: place, problems)
      if let other = ids.updateValue(place, forKey: station.id) {
        problems.add("\"\(station.id)\" is already the id of \(other)", key: "\(place).id", line: 0)
      }
      for path in station.paths {
        guard let other = paths.updateValue(place, forKey: path), other != place else { continue }
        problems.add("\(path) already leads to \(other)", key: "\(place).mounts", line: 0)
      }
    }
    guard let error = problems.error else { return configuration }
    throw .badConfiguration("\(error)")
  }
}
