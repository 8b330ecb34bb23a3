/// A title as playlists and segments have it: one line each, bounded, in normal form C (RFC 8216 §4.1).
public struct HLSTitle: Hashable, Sendable {
  public let title: String
  public let artist: String?
  /// A link, as ICY's `StreamUrl`.
  public let url: String?
  /// A picture's URL.
  public let artwork: String?

  /// The most bytes of a text.
  public static let bytesMax = 1000

  public init(
    title: String, artist: String? = nil, url: String? = nil, artwork: String? = nil
  ) {
    self.title = Self.clean(title)
    self.artist = Self.known(artist)
    self.url = Self.known(url)
    self.artwork = Self.known(artwork)
  }

  public init(_ title: Title) {
    self.init(
      title: title.parts?.title ?? title.text, artist: title.parts?.artist, url: title.url,
      artwork: title.parts?.artwork)
  }

  private static func known(_ text: String?) -> String? {
    text.map(clean).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the text on one line and cut.
  ///
  /// It is cut between Unicode scalars: which of them are one character changes with Unicode's versions, and a segment's
  /// bytes may not.
  static func clean(_ text: String) -> String {
    // Normal form C keeps at least a third of the bytes.
    let bounded = cut(text, to: 4 * bytesMax)
    let line = separators.text(Playlist.oneLine(bounded)) { left, bytes in
      guard left.beginsWithSeparator else { return 0 }
      bytes.append(ASCII.space)
      return 3
    }
    return cut(line.inNormalFormC, to: bytesMax)
  }

  private static func cut(_ text: String, to bytes: Int) -> String {
    text.utf8.count <= bytes
      ? text : String(decoding: UTF8Text.prefix(text, bytes: bytes), as: UTF8.self)
  }

  /// U+2028 and U+2029 begin with this byte; a player's regular expressions end lines there.
  private static let separators = TextRuns { $0 == 0xE2 }
}
