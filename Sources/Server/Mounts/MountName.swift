/// The names of a station's stream: the rule for sources, administration, monitors and playlists.
///
/// A station is named by its id and by each further path, byte by byte, with a slash in front or without one. Encoders
/// and scripts hang an ending on (`/jazz.mp3`); players leave it off (`/Jazz_128.m3u` of `/Jazz_128.mp3`).
public enum MountName {
  /// Endings of audio that a playlist's name may leave off.
  private static let audioEndings = ["mp3", "aac", "aacp", "ogg", "oga", "opus", "flac"]

  /// Returns the name that listeners and monitors are told: the first further path, else the id.
  public static func shown(station: String, paths: [String], renditionOf: String?) -> String {
    chosen(paths, renditionOf: renditionOf).first ?? "/" + station
  }

  /// Returns the paths that somebody chose: a rendition's path below its original is none.
  static func chosen(_ paths: [String], renditionOf: String?) -> [String] {
    guard let renditionOf else { return paths }
    return paths.filter { !$0.hasPrefix("/\(renditionOf)/") }
  }

  /// Returns the station that a name means; nil for none. One slash at the end is overlooked, as in a stream's path.
  ///
  /// - Parameter paths: Returns the paths of a station, `/ID` among them.
  package static func find<Station>(
    _ name: String, in stations: [Station], paths: (Station) -> [String]
  ) -> Station? {
    let path = name.utf8.first == UInt8(ascii: "/") ? name : "/" + name
    if let station = stations.first(where: { paths($0).contains(path) }) { return station }
    if path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") {
      let bare = String(Substring(path.utf8.dropLast()))
      return bare.utf8.last == UInt8(ascii: "/") ? nil : find(bare, in: stations, paths: paths)
    }
    guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    let bare = String(path[..<dot])
    return stations.first { paths($0).contains(bare) }
  }

  /// Returns a path without an ending of audio; nil for a path without one.
  static func withoutEnding(_ path: String) -> String? {
    guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    let ending = String(Substring(path.utf8[dot...].dropFirst()))
    return audioEndings.contains(ending) ? String(path[..<dot]) : nil
  }
}

extension Mount {
  /// The name that listeners are told; see `MountName`.
  public var name: String {
    MountName.shown(station: station, paths: paths, renditionOf: renditionOf)
  }

  /// Returns the name by which a playlist was asked for, `/jazz` of `/jazz.m3u`; else the name that listeners are told.
  func name(ofPlaylist path: String) -> String {
    guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return name }
    let asked = String(path[..<dot])
    let own = ["/" + station] + MountName.chosen(paths, renditionOf: renditionOf)
    return own.first { $0 == asked } ?? own.first { MountName.withoutEnding($0) == asked } ?? name
  }
}
