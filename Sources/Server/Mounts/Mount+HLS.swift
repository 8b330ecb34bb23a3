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

extension MountTable {
  /// Returns which playlist of HLS a path is, directly below a mount's; nil for any other path.
  func playlistOfHLS(_ path: String) -> HLSPath? {
    let bytes = path.utf8
    guard bytes.suffix(5).elementsEqual(".m3u8".utf8),
      let slash = bytes.lastIndex(of: UInt8(ascii: "/")),
      bytes[..<slash].suffix(4).elementsEqual("/hls".utf8),
      mount(at: Substring(bytes[..<slash].dropLast(4))) != nil
    else { return nil }
    let playlist = HLSPath(bytes[slash...].dropFirst())
    if case .piece = playlist { return nil }
    return playlist
  }
}
