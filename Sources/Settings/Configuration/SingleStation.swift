import Ingest
import Reactor
import Wire

extension Configuration {
  /// Returns the defaults with one station, as `longwave relay URL` runs it; `-` stands for standard input,
  /// and `alsa:DEVICE` for a sound input.
  ///
  /// - Parameters:
  ///   - id: the station's id; nil for one derived from the URL.
  ///   - bitrate: kbit/s at which a sound input is encoded, or standard input, which then is WAV.
  public static func relaying(
    _ url: String, id: String? = nil, encodedAt bitrate: Int? = nil
  ) throws(RelayError) -> Configuration {
    let input = SoundInput(url)
    guard bitrate == nil || url == "-" || input != nil else {
      throw RelayError.cannotStart(
        "--encode goes with -, standard input, whose WAV is encoded, and with alsa:DEVICE")
    }
    if input != nil, bitrate == nil {
      throw RelayError.cannotStart("a sound input is encoded; write --encode 192")
    }
    do throws(InvalidValue) {
      if url == "-" || input != nil {
        let id = try ValueRule<String>.stationID.parse(id ?? "input")
        var configuration = Configuration()
        var station = StationDefinition(
          id: id, source: input.map { .soundInput($0) } ?? .command(.input))
        if let bitrate { station.encode = try PCMEncoding(bitrate: bitrate) }
        configuration.stations = [station]
        return configuration
      }
      let url = try ValueRule<String>.webURL.parse(URLText.readingICY(url))
      let id = try ValueRule<String>.stationID.parse(id ?? StationID.derived(from: url))
      var configuration = Configuration()
      configuration.stations = [StationDefinition(id: id, upstream: [url])]
      return configuration
    } catch {
      throw RelayError.cannotStart(error.message)
    }
  }
}
