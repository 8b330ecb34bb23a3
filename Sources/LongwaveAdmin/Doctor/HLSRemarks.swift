import Longwave
import Server
import Wire

extension Configuration {
  /// How much past HLS lists where nothing is said, in seconds.
  private static let hlsListed = 24.0 * 3600
  /// The most that it lists, in seconds.
  private static let hlsListedMax = 168.0 * 3600

  /// One line for each window that is longer than what HLS lists of it, unless that is said, and for each station that
  /// has no HLS, whatever is said.
  var hlsRemarks: [String] { hlsOfFiles + hlsWindows }

  private var hlsOfFiles: [String] {
    stations.compactMap { station in
      guard station.files != nil, case .on? = station.hls else { return nil }
      return "/\(station.id)  hls: has no effect, as stations of files have no HLS; leave it out "
        + "(players load parts of files by themselves, at each file's own address)"
    }
  }

  private var hlsWindows: [String] {
    let own = stations.filter { station in
      let settings = station.listenerSettings(listeners).hls
      return station.hasOwnLog && station.renditionOf == nil && settings.isOn
        && settings.window == nil && window(of: station) > Self.hlsListed
    }
    var lines = own.compactMap { station in
      station.window.map { "/\(station.id)  window: " + Self.remark(on: $0, "hls:") }
    }
    if own.contains(where: { $0.window == nil }) {
      lines.append("timeshift.window  " + Self.remark(on: timeshift.window, "listeners: hls:"))
    }
    return lines
  }

  private static func remark(on window: Double, _ key: String) -> String {
    "\(DurationText.format(window)) is more than HLS playlists list, 24h (players reach the rest by ?at=); "
      + "write \(key) {window: \(DurationText.format(min(window, hlsListedMax)))} for more, or 24h"
  }
}
