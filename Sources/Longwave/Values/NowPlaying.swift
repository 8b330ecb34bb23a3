import Timeshift
import Wire

/// A title, taken apart for people and programs.
public struct NowPlaying: Hashable, Sendable {
  /// The song, or the whole text when artist and song cannot be told apart.
  public var title: String?
  /// The artist; nil when the text does not tell.
  public var artist: String?
  /// The link that came with the title; nil when none came.
  public var url: String?
  /// The URL of a picture; nil when none came.
  public var artwork: String?
  /// When the title went on air; nil when unknown.
  public var since: WallTime?
  /// Position of the first byte of its audio in the log; nil when unknown.
  public var position: UInt64?
  /// Number of the programme's item; nil where the station is no programme.
  public var item: UInt64?
  /// What the item is; nil where the station is no programme.
  public var kind: TitleItem.Kind?
  /// The text as it was sent, where nothing but a dash in it tells artist and song apart; nil for any other title.
  private var sent: String?

  /// Makes the value for no title.
  public init() {}

  /// Takes a title apart, without its place.
  public init(_ title: Title) {
    if let parts = title.parts {
      artist = parts.artist
      self.title = parts.title
    } else {
      (artist, self.title) = Self.parts(of: title.text)
      sent = title.text
    }
    url = title.url.isEmpty ? nil : title.url
    (item, kind) = (title.item?.number, title.item?.kind)
    artwork =
      title.parts?.artwork.flatMap { WebURL.isValid($0) ? $0 : nil }
      ?? url.flatMap { Self.isPicture($0) ? $0 : nil }
  }

  /// Takes a title of a log apart, with its place and air time.
  public init(_ mark: TitleMark) {
    self.init(mark.title)
    since = mark.air
    position = mark.position
  }

  /// What is playing on one line: as it was sent or, where artist and song came apart, both with a dash between them.
  package var line: String { sent ?? [artist, title].compactMap { $0 }.joined(separator: " - ") }

  /// Whether artist and song came apart, or a rule of the station parts them.
  package var isApart: Bool { sent == nil && artist != nil }

  /// Splits a text at its first ` - `; without one at its first ` – `, then ` — `. Both sides must have text.
  private static func parts(of text: String) -> (artist: String?, song: String?) {
    for dash in [" - ", " – ", " — "] {
      guard let place = text.firstRange(of: dash) else { continue }
      let artist = text[..<place.lowerBound].drop { $0 == " " }
      let song = text[place.upperBound...].drop { $0 == " " }
      if !artist.isEmpty, !song.isEmpty { return (String(artist), String(song)) }
    }
    return (nil, text.isEmpty ? nil : text)
  }

  private static func isPicture(_ url: String) -> Bool {
    let path = WebURL.parts(of: url).path.lowercased()
    return [".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif", ".svg"].contains {
      path.hasSuffix($0)
    }
  }

}

extension NowPlaying: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("title", \.title), Shape("artist", \.artist), Shape("url", \.url),
    Shape("artwork", \.artwork), Shape("since", \.since), Shape("position", \.position),
    Shape("item", \.item), Shape("kind", \.kind),
  ]
}

extension TitleItem.Kind: Shaped {}
