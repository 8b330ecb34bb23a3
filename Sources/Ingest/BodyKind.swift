/// What the first bytes of a body say about it.
enum BodyKind {
  case playlist, page, audio

  /// Enough for a byte order mark and `[playlist]`.
  static let sniffedBytes = 16

  private static let playlistTypes = [
    "audio/x-scpls", "audio/scpls", "application/pls+xml", "application/x-scpls",
    "audio/x-mpegurl", "audio/mpegurl", "application/x-mpegurl", "application/mpegurl",
    "application/vnd.apple.mpegurl", "application/xspf+xml", "video/x-ms-asf", "video/x-ms-asx",
    "audio/x-ms-wax", "video/x-ms-wvx", "application/x-ms-asx",
  ]

  init(_ bytes: [UInt8], mediaType: String?, url: String) {
    let isPlaylist = Self.beginsLikePlaylist(bytes)
    let path = url.prefix { $0 != "?" && $0 != "#" }.lowercased()
    let isNamed = [".pls", ".m3u", ".m3u8", ".xspf", ".asx", ".wax", ".wvx"].contains {
      path.hasSuffix($0)
    }
    let isTyped = mediaType.map(Self.playlistTypes.contains) ?? false
    if isPlaylist || ((isNamed || isTyped) && Self.isText(bytes)) {
      self = .playlist
    } else {
      // Scripts send playlists and even audio under PHP's default type: the bytes decide here too.
      self = mediaType == "text/html" && Self.isText(bytes) ? .page : .audio
    }
  }

  private static func beginsLikePlaylist(_ bytes: [UInt8]) -> Bool {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let start = (bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...])
      .drop { $0 == 32 || $0 == 9 || $0 == 13 || $0 == 10 }
    let text = String(decoding: start.prefix(12), as: UTF8.self).lowercased()
    return [
      "[playlist]", "[reference]", "<asx", "<?xml", "#extm3u", "#extinf", "http://", "https://",
      "<playlist",
    ]
    .contains { text.hasPrefix($0) }
  }

  // Audio announced as a playlist has been seen: frames are never plain text.
  private static func isText(_ bytes: [UInt8]) -> Bool {
    bytes.prefix(sniffedBytes).allSatisfy { $0 >= 32 || $0 == 9 || $0 == 10 || $0 == 13 }
      && !bytes.starts(with: "ID3".utf8)
  }
}
