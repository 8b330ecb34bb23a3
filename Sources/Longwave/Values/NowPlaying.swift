import Timeshift
import Wire

/// A title taken apart for people and programs.
public struct NowPlaying: Hashable, Sendable {
  /// The song, or the whole text where there is no telling artist from song.
  public var title: String?
  public var artist: String?
  public var url: String?
  public var artwork: String?
  public var since: WallTime?
  public var position: UInt64?

  public init() {}

  public init(_ title: Title) {
    if let parts = title.parts {
      artist = parts.artist
      self.title = parts.title
    } else {
      (artist, self.title) = Self.parts(of: title.text)
    }
    url = title.url.isEmpty ? nil : title.url
    artwork =
      title.parts?.artwork.flatMap { WebURL.isValid($0) ? $0 : nil }
      ?? url.flatMap { Self.isPicture($0) ? $0 : nil }
  }

  public init(_ mark: TitleMark) {
    self.init(mark.title)
    since = mark.air
    position = mark.position
  }

  /// As one line: artist and title with a dash, as stations write it.
  var line: String { [artist, title].compactMap { $0 }.joined(separator: " - ") }

  /// "Artist – Song" at the first dash between blanks, which is how nearly every station writes it.
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

  var json: JSON {
    [
      "title": JSON(title), "artist": JSON(artist), "url": JSON(url), "artwork": JSON(artwork),
      "since": JSON(since),
    ]
  }
}

extension JSON {
  /// A time as RFC 3339 in UTC with milliseconds.
  init(_ time: WallTime?) {
    self = time.map { .string($0.rfc3339) } ?? .null
  }
}
