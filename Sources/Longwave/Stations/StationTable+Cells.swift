import Server
import Timeshift

// How the logs of stations are divided for HLS.
extension StationTable {
  /// Returns how the log of a station is to be divided.
  ///
  /// - Parameter original: the station that this one is a rendition of, whose titles it has; nil for any other.
  func cells(of station: StationDefinition, original: StationDefinition?) -> CellSettings {
    let settings = station.listenerSettings(configuration.listeners, of: original).hls
    // Titles that take effect earlier than announced come so much later.
    let shift = (original ?? station).titleShift
    return CellSettings(delay: MediaTime(seconds: max(0, -shift)), seconds: settings.segment)
  }

  /// Returns what the log of a station is to be opened as, as far as that follows from its definition.
  func logOrder(of station: StationDefinition, original: StationDefinition?) -> LogOrder {
    LogOrder(
      station.id, window: window(of: station), cells: cells(of: station, original: original))
  }

  /// Divides the logs as the stations are now, from the next border on.
  func divideLogs() {
    for station in byID.values {
      station.ownLog?.set(cells: cells(of: station.definition, original: station.original))
    }
  }
}
