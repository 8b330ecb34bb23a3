import Wire

/// What a file's tags say besides what is played, in bounds of `TagFields`.
public struct MusicDetails: Hashable, Sendable {
  /// Whose album it is; empty where the tags do not say.
  public var albumArtist = ""
  public var disc: Int?
  public var number: Int?
  public var genres: [String] = []
  /// The recording's number (ISO 3901) and who published it, for reports of what was played; empty where unknown.
  public var isrc = ""
  public var label = ""
  /// Bits a second, on average; 0 where unknown.
  public var bitrate = 0
  public var lyrics: Lyrics?
  /// Whether title or artist come from the file's name.
  public var isGuessed = false
  public var picture: Picture?

  /// What is known of the words that are sung. The database stores the raw value.
  public enum Lyrics: UInt8, Sendable {
    case plain = 1
    /// Each line has its time.
    case timed = 2
  }

  /// The place of the front's picture in the file.
  public struct Picture: Hashable, Sendable {
    public var offset: UInt64
    public var bytes: UInt64

    public init(offset: UInt64, bytes: UInt64) { (self.offset, self.bytes) = (offset, bytes) }
  }

  public init() {}

  /// The kind of a picture that shows the front of a record (id3.org, id3v2.4.0-frames §4.14).
  private static let frontKind = 3

  init(_ fields: TagFields, bitrate: Int) {
    albumArtist = fields.first(.albumArtist) ?? ""
    (disc, number) = (fields.number(.disc), fields.number(.track))
    genres = fields[.genre]
    (isrc, label) = (fields.first(.isrc) ?? "", fields.first(.label) ?? "")
    self.bitrate = bitrate
    lyrics = fields.lines.isEmpty ? fields.lyrics.map { _ in .plain } : .timed
    isGuessed = fields.isGuessed
    let pictures = fields.pictures.compactMap { picture in
      picture.offset.map { (picture.kind, Picture(offset: $0, bytes: picture.bytes)) }
    }
    picture = (pictures.first { $0.0 == Self.frontKind } ?? pictures.first)?.1
  }
}

/// Details in memory of their own.
final class DetailsBox: Hashable, Sendable {
  let details: MusicDetails

  init(_ details: MusicDetails) { self.details = details }

  static func == (one: DetailsBox, other: DetailsBox) -> Bool {
    one === other || one.details == other.details
  }

  func hash(into hasher: inout Hasher) { hasher.combine(details) }
}
