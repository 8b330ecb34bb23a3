import Reactor
import Wire

extension Configuration {
  /// Returns the defaults with one station, as `longwave relay URL` runs it; `-` stands for standard input.
  ///
  /// - Parameters:
  ///   - id: the station's id; nil for one derived from the URL.
  ///   - bitrate: kbit/s at which standard input, which is WAV, is encoded; nil where it is encoded already.
  public static func relaying(
    _ url: String, id: String? = nil, encodedAt bitrate: Int? = nil
  ) throws(RelayError) -> Configuration {
    guard bitrate == nil || url == "-" else {
      throw RelayError.cannotStart("--encode goes with -, standard input, whose WAV is encoded")
    }
    do throws(InvalidValue) {
      if url == "-" {
        let id = try ValueRule<String>.stationID.parse(id ?? "input")
        var configuration = Configuration()
        var station = StationDefinition(id: id, source: .command(.input))
        if let bitrate { station.encode = try PCMEncoding(bitrate: bitrate) }
        configuration.stations = [station]
        return configuration
      }
      let url = try ValueRule<String>.webURL.parse(url)
      let id = try ValueRule<String>.stationID.parse(id ?? StationID.derived(from: url))
      var configuration = Configuration()
      configuration.stations = [StationDefinition(id: id, upstream: [url])]
      return configuration
    } catch {
      throw RelayError.cannotStart(error.message)
    }
  }
}
