/// The title that is playing, as the stream announces it.
public struct Title: Hashable, Sendable {
  /// The text being shown, "Artist – Song"; ICY's `StreamTitle`.
  public var text: String
  /// ICY's `StreamUrl`: a link or artwork; empty when not announced.
  public var url: String
  /// Artist and song as separate texts, where the stream or the station's rule tells them; nil when only `text` is
  /// known.
  public var parts: TitleParts?
  /// Further fields of the announcement, for listeners that understand them; at most 32.
  public var extras: [ICYMetadata.Field]
  /// What plays, where the relay itself chose it; never announced to players.
  public var item: TitleItem?

  public init(
    text: String, url: String = "", parts: TitleParts? = nil, extras: [ICYMetadata.Field] = [],
    item: TitleItem? = nil
  ) {
    self.text = text
    self.url = url
    self.parts = parts
    self.extras = extras
    self.item = item
  }

  /// Whether both titles look the same to people; `extras` and `item` do not count, since they are for programs.
  public func looksLike(_ other: Title) -> Bool {
    text == other.text && url == other.url && parts == other.parts
  }
}

/// A title taken apart into artist, song and artwork.
public struct TitleParts: Hashable, Sendable {
  public var artist: String?
  public var title: String
  /// A picture's URL.
  public var artwork: String?

  public init(artist: String? = nil, title: String, artwork: String? = nil) {
    self.artist = artist
    self.title = title
    self.artwork = artwork
  }
}
