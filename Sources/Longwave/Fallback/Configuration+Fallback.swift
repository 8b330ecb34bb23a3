import Timeshift
import Wire

extension Configuration {
  /// Refuses fallbacks whose format is not the one that a station's window on the disk ends with. Blocks.
  ///
  /// For who looks at a configuration before it runs. A relay that starts only tells of it: an upstream may have changed
  /// since, and is no reason to play nothing.
  /// - Parameter data: the data folder.
  public func requireFallbackFormats(data: String) throws(ConfigurationError) {
    let problems = stations.compactMap { station -> ConfigurationProblem? in
      guard let fallback = station.fallback,
        let own = Self.format(of: station.id, data),
        let problem = fallback.problem(with: Self.format(of: fallback, data), for: own)
      else { return nil }
      return ConfigurationProblem(
        file: file ?? "", line: stationLines[station.id] ?? 0,
        key: "stations.\(station.id).fallback", message: problem)
    }
    if !problems.isEmpty { throw ConfigurationError(problems: problems) }
  }

  private static func format(of station: String, _ data: String) -> AudioFormat? {
    PacketLog.newestFormat(directory: DataDirectory.logPath(station: station, in: data))
  }

  private static func format(of fallback: FallbackSetting, _ data: String) -> AudioFormat? {
    switch fallback {
    case .silence: nil
    case .station(let id): format(of: id, data)
    case .file(let path): try? FallbackFile(path: path).format()
    }
  }
}
