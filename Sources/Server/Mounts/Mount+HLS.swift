import Timeshift
import Wire

extension Mount {
  /// A day: what is listed where nobody says otherwise, and of a list that begins at a moment.
  static let hlsWindowMax = MediaTime(seconds: 86_400)
  private static let hlsCellsMin = 10.0

  /// How far behind live playlists begin at most.
  package var hlsWindow: MediaTime { hlsWindow(nil) }

  /// - Parameter length: as much as is wanted; nil for all.
  func hlsWindow(_ length: MediaTime?) -> MediaTime {
    let least = MediaTime(seconds: Self.hlsCellsMin * Double(settings.hls.segment))
    guard settings.allowsShift else { return least }
    var window = settings.hls.window ?? Self.hlsWindowMax
    if let most = settings.offsetMax { window = min(window, most) }
    if let length { window = min(window, length) }
    return max(window, least)
  }

  /// Why HLS cannot have the station, and what would help; nil where it can, as far as is known.
  package var hlsProblem: String? {
    guard let log else {
      return files == nil
        ? nil : "station \(station) has files, which players load in parts by themselves"
    }
    let snapshot = log.snapshot()
    guard let codec = snapshot.format?.codec else { return nil }
    if PieceName.Ending(codec) == nil {
      return "station \(station) plays \(codec.name), which HLS does not have; a rendition in MP3 "
        + "would have it (renditions:)"
    }
    let bytes = 3 * Double(settings.hls.segment) * snapshot.bitrate * 125
    if !log.isOnDisk, bytes > Double(log.configuration.windowBytes) {
      return "station \(station) is in memory only, which holds less than 3 segments; give it a "
        + "window, and the server a data folder"
    }
    return nil
  }
}
