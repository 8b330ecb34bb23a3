/// Reads playlists that lead to streams, as servers really write them: pls, m3u, XSPF and ASX.
///
/// A document's content decides its kind first. The media type and the URL's ending count only where the content does
/// not contradict them, and never for bytes that cannot be text.
public enum Playlist {
  /// The most bytes of a document that are read, and the most entries.
  public static let bytesMax = 256 * 1024
  public static let entriesMax = 1000

  enum Kind: Hashable {
    case pls, m3u
    /// XSPF or ASX.
    case xml
    /// HTTP Live Streaming: an m3u whose lines are pieces of one stream.
    case hls
  }

  /// Returns the entries of a playlist, in order; nil when the bytes are no playlist.
  ///
  /// Empty for a playlist with nothing to pull: an HLS playlist (see `isHLS`), or entries that are neither `http` nor
  /// `https`. `bytes` may be the start of a longer document; a last line that is cut off there is not used.
  ///
  /// - Parameters:
  ///   - mediaType: The Content-Type of the document.
  ///   - url: The document's URL; relative entries are resolved against it.
  public static func parse(
    _ bytes: [UInt8], mediaType: String?, url: String
  ) -> [PlaylistEntry]? {
    let lines = PlaylistLines(bytes, max: bytesMax)
    guard let kind = kind(of: lines, mediaType: mediaType, url: url) else { return nil }
    // Absolute entries need no base, so a base that is too long is dropped.
    let base = URLReference(url.utf8.count <= URLText.bytesMax ? url : "")
    var entries: [PlaylistEntry] = []
    for item in items(of: lines, kind, max: entriesMax) where entries.count < entriesMax {
      entries += item.entries(base: base).prefix(entriesMax - entries.count)
    }
    return entries
  }

  /// Returns the entries of a list of a known kind, at most `max` streams; empty for HLS.
  static func items(of lines: PlaylistLines, _ kind: Kind, max: Int) -> [PlaylistItem] {
    switch kind {
    case .hls: []
    case .pls: PLSReader.items(of: lines, max: max)
    case .m3u: M3UReader.items(of: lines, max: max)
    case .xml: XMLPlaylistReader.items(of: lines.text, max: max)
    }
  }

  /// Whether the bytes are an HLS playlist, media or master.
  public static func isHLS(_ bytes: [UInt8]) -> Bool {
    kind(of: PlaylistLines(bytes, max: bytesMax), mediaType: nil, url: "") == .hls
  }

  static func kind(of lines: PlaylistLines, mediaType: String?, url: String) -> Kind? {
    guard lines.isText, let first = lines.list.first else { return nil }
    if lines.list.contains(where: { $0.starts(with: "#EXT-X-".utf8) }) { return .hls }
    if first.hasPrefix(ignoringCase: "[playlist]") { return .pls }
    if first.hasPrefix(ignoringCase: "#EXTM3U") { return .m3u }
    // `[Reference]` heads Windows Media's older list, with lines `Ref1=URL`.
    if first.hasPrefix(ignoringCase: "[reference]") { return .pls }
    // The document is XSPF, ASX or an error page.
    if first.first == UInt8(ascii: "<") {
      return XMLPlaylistReader.isPlaylist(lines.text) ? .xml : nil
    }
    let declared = declaredKind(mediaType: mediaType, url: url)
    if declared == .pls && lines.list.contains(where: { PLSReader.isFileLine($0) }) { return .pls }
    if declared != nil || lines.list.allSatisfy({ M3UReader.isCommentOrURL($0) }) { return .m3u }
    return nil
  }

  private static func declaredKind(mediaType: String?, url: String) -> Kind? {
    switch mediaType.map(essence) {
    case "audio/x-scpls", "audio/scpls", "application/pls", "application/pls+xml",
      "audio/x-pls":
      return .pls
    case "audio/x-mpegurl", "audio/mpegurl", "application/mpegurl", "application/x-mpegurl",
      "application/vnd.apple.mpegurl", "audio/m3u", "audio/x-m3u":
      return .m3u
    default: break
    }
    let path = URLReference(url).path.lowercased()
    if path.hasSuffix(".pls") { return .pls }
    return path.hasSuffix(".m3u") || path.hasSuffix(".m3u8") ? .m3u : nil
  }

  /// Returns the bare media type: `audio/x-scpls` for `Audio/X-SCPLS; charset=utf-8`.
  private static func essence(_ mediaType: String) -> String {
    let type = Array(mediaType.utf8.prefix { $0 != UInt8(ascii: ";") })
    return String(decoding: ASCII.trimmed(type[...]), as: UTF8.self).lowercased()
  }
}
