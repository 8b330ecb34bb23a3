/// A tag in front of MP3 or AAC: ID3v2.4 (id3.org, id3v2.4.0-structure and -frames), text only.
public struct ID3Tag: Hashable, Sendable {
  public var title: String
  public var artist: String?
  public var album: String
  /// When the recording was made, in nanoseconds since 1970.
  public var recordedAt: Int64

  public init(title: String, artist: String? = nil, album: String, recordedAt: Int64) {
    self.title = title
    self.artist = artist
    self.album = album
    self.recordedAt = recordedAt
  }

  // The most bytes of a text, which is cut here; a player shows no more.
  private static let textBytesMax = 1024

  public var bytes: [UInt8] {
    var frames = Self.frame("TIT2", title)
    if let artist { frames += Self.frame("TPE1", artist) }
    frames += Self.frame("TALB", album)
    // A timestamp of this standard is in UTC and has no zone.
    frames += Self.frame("TDRC", String(TimestampText.rfc3339(recordedAt).prefix(19)))
    return ID3Frame.tag(frames)
  }

  private static func frame(_ id: String, _ text: String) -> [UInt8] {
    ID3Frame.frame(id, [ID3Frame.utf8] + UTF8Cut.prefix(text, bytes: textBytesMax).utf8)
  }
}

/// Cuts text to a number of bytes, between two characters.
public enum UTF8Cut {
  public static func prefix(_ text: String, bytes: Int) -> String {
    var left = bytes
    return String(
      text.prefix { character in
        left -= character.utf8.count
        return left >= 0
      })
  }
}
