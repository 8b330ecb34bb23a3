import Server
import Store
import Timeshift
import Wire

extension Configuration {
  /// Returns fallbacks whose format is not the one that a station's window on the disk ends with. Blocks.
  ///
  /// They are remarks, and no mistakes: an upstream may send something else tomorrow, and a relay takes the file.
  /// - Parameter data: the data folder.
  package func fallbackMisfits(data: String) -> [ConfigurationProblem] {
    stations.compactMap { station in
      guard let fallback = station.fallback,
        let own = Self.format(of: station.id, data),
        let problem = fallback.problem(with: Self.format(of: fallback, data), for: own)
      else { return nil }
      return self.problem(of: station, "fallback", problem)
    }
  }

  /// Returns a station's burst, and for how many seconds its listeners hear nothing before a fallback; zero for none.
  package func fallbackHole(of station: StationDefinition) -> (burst: Double, hole: Double) {
    let burst = burst(of: station)
    return (burst, station.fallback == nil ? 0 : max(0, station.fallbackAfter - burst))
  }

  /// Seconds that a listener of a station is sent at once.
  func burst(of station: StationDefinition) -> Double {
    station.burst ?? listeners.burst.seconds
  }

  /// The formats of the files that stations fall back to, as far as they can be read. Blocks.
  var fallbackFormats: [String: AudioFormat] {
    var formats: [String: AudioFormat] = [:]
    for path in Set(stations.compactMap { $0.fallback?.path }) {
      formats[path] = try? FallbackFile(path: path).format()
    }
    return formats
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
