import Timeshift
import Wire

extension Mount {
  /// A day: what is listed where nobody says otherwise, and of a list that begins at a moment.
  static let hlsWindowMax = MediaTime(seconds: 86_400)

  /// How far behind live playlists begin at most.
  package var hlsWindow: MediaTime { hlsWindow(nil) }

  /// - Parameter length: as much as is wanted; nil for all.
  func hlsWindow(_ length: MediaTime?) -> MediaTime {
    // Ten, and the one that is not over yet.
    let least = segments(11)
    guard settings.allowsShift else { return least }
    var window = settings.hls.window ?? Self.hlsWindowMax
    if let length { window = min(window, length) }
    guard let most = settings.offsetMax else { return max(window, least) }
    // Players begin three segments behind the end.
    return max(min(max(window, least), most), segments(4))
  }

  private func segments(_ count: Double) -> MediaTime {
    MediaTime(seconds: count * Double(settings.hls.segment))
  }

  /// The kind of a playlist of HLS directly below one of the mount's own paths; nil for any other path.
  func kindOfPlaylist(_ path: String) -> HLSFigures.Kind? {
    guard path.hasSuffix(".m3u8") else { return nil }
    for own in ["/" + station] + paths where path.hasPrefix(own + "/hls/") {
      switch HLSPath(path.utf8.dropFirst(own.utf8.count + "/hls/".utf8.count)) {
      case .multivariant: return .multivariant
      case .media: return .media
      case .clip: return .clip
      case .piece, nil: break
      }
    }
    return nil
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
      return "station \(station) plays \(codec.name), which HLS does not have; renditions in MP3 "
        + "have it, under their own ids (renditions:)"
    }
    let bytes = 3 * Double(settings.hls.segment) * snapshot.bitrate * 125
    if !log.isOnDisk, bytes > Double(log.configuration.windowBytes) {
      return "station \(station) is in memory only, which holds less than 3 segments; give it a "
        + "window, and the server a data folder"
    }
    return nil
  }
}
