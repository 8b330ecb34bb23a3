import Wire

/// The kind of a body, told by its first bytes.
enum BodyKind: Equatable {
  case playlist, page, audio
  /// SHOUTcast's refusal, which is not HTTP: `ICY 400 Server Full`.
  case refusal(Int)

  /// The number of bytes looked at: enough for a byte order mark and `[playlist]`.
  static let sniffedBytes = 16

  private static let playlistTypes = [
    "audio/x-scpls", "audio/scpls", "application/pls+xml", "application/x-scpls",
    "audio/x-mpegurl", "audio/mpegurl", "application/x-mpegurl", "application/mpegurl",
    "application/vnd.apple.mpegurl", "application/xspf+xml", "video/x-ms-asf", "video/x-ms-asx",
    "audio/x-ms-wax", "video/x-ms-wvx", "application/x-ms-asx",
  ]

  /// Tells the kind. Text announced as anything but audio may be a playlist; that shows when it is whole.
  ///
  /// `isForced`: the configuration says that there is audio. Then only text that begins like a playlist is one.
  init(_ bytes: [UInt8], mediaType: String?, url: String, isForced: Bool = false) {
    let bytes = UTF16Text.utf8(bytes) ?? bytes
    let path = url.prefix { $0 != "?" && $0 != "#" }.lowercased()
    let isNamed = [".pls", ".m3u", ".m3u8", ".xspf", ".asx", ".wax", ".wvx"].contains {
      path.hasSuffix($0)
    }
    let isTyped = mediaType.map(Self.playlistTypes.contains) ?? false
    let isAnnounced = ["audio/", "video/"].contains { mediaType?.hasPrefix($0) == true }
    if let status = Self.refusal(bytes) {
      self = .refusal(status)
    } else if Self.begins(bytes, like: ["<html", "<!doctype"]) {
      self = .page
    } else if Self.beginsLikePlaylist(bytes) {
      self = .playlist
    } else if !Self.isText(bytes[...])
      || ["ID3", "OggS"].contains(where: { bytes.starts(with: $0.utf8) })
      || isForced || (isAnnounced && !isNamed && !isTyped)
    {
      // Scripts send even audio under PHP's default type, text/html.
      self = .audio
    } else {
      self = mediaType == "text/html" && !isNamed ? .page : .playlist
    }
  }

  /// The status of `ICY 4xx` and `ICY 5xx`. There 401 means "Service Unavailable": the station has no source.
  private static func refusal(_ bytes: [UInt8]) -> Int? {
    let line = String(decoding: bytes.prefix(7), as: UTF8.self)
    guard line.hasPrefix("ICY "), let status = Int(line.dropFirst(4)), 400..<600 ~= status else {
      return nil
    }
    return status == 401 ? 503 : status
  }

  private static func beginsLikePlaylist(_ bytes: [UInt8]) -> Bool {
    begins(
      bytes,
      like: [
        "[playlist]", "[reference]", "<asx", "<?xml", "#extm3u", "#extinf", "http://", "https://",
        "<playlist", "icy://", "icyx://",
      ])
  }

  private static func begins(_ bytes: [UInt8], like words: [String]) -> Bool {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let start = (bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...])
      .drop { $0 == 32 || $0 == 9 || $0 == 13 || $0 == 10 }
    let text = String(decoding: start.prefix(12), as: UTF8.self).lowercased()
    return words.contains { text.hasPrefix($0) }
  }

  /// Whether the newest piece of a playlist can be text, in UTF-16 or with NULs at its end.
  static func mayBeText(_ piece: [UInt8], endingPlaylist text: [UInt8]) -> Bool {
    let end = piece.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    return isText(piece[..<end]) || UTF16Text.isMeant(by: text)
  }

  /// Whether the bytes can be a text's. Audio announced as a playlist has been seen; frames are never plain text.
  static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.allSatisfy { ($0 >= 32 && $0 != 0xFF) || 9...13 ~= $0 || $0 == 0x1A }
  }
}
