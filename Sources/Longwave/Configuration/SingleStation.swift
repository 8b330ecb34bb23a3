import Reactor
import Wire

extension Configuration {
  /// Returns the defaults with one station, as `longwave relay URL` runs it; `-` stands for standard input.
  ///
  /// - Parameter id: the station's id; nil for one derived from the URL.
  public static func relaying(_ url: String, id: String? = nil) throws(RelayError) -> Configuration
  {
    do throws(InvalidValue) {
      if url == "-" {
        let id = try ValueRule<String>.stationID.parse(id ?? "input")
        var configuration = Configuration()
        configuration.stations = [StationDefinition(id: id, source: .command(.input))]
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
