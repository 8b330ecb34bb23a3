/// The ID3 tag with which a segment of packed audio begins (RFC 8216 §3.4), and which an `emsg` carries.
public struct TimestampTag: Hashable, Sendable {
  /// The media time of the segment's first packet in flicks; nil in an `emsg`, which has a time of its own.
  public var media: Int64?
  /// The title in force; nil where none is known.
  public var title: HLSTitle?

  public init(media: Int64?, title: HLSTitle? = nil) {
    (self.media, self.title) = (media, title)
  }

  private static let owner = "com.apple.streaming.transportStreamTimestamp"

  public var bytes: [UInt8] {
    var frames: [UInt8] = []
    if let media {
      let time = BigEndian.bytes(HLSTime.clock(media))
      frames += ID3Frame.frame("PRIV", Array(Self.owner.utf8) + [0] + time)
    }
    if let title { frames += Self.frames(title) }
    return ID3Frame.tag(frames)
  }

  private static func frames(_ title: HLSTitle) -> [UInt8] {
    var frames = text("TIT2", title.title)
    if let artist = title.artist { frames += text("TPE1", artist) }
    if let url = title.url {
      // The description is empty, and a link has no charset and no end.
      frames += ID3Frame.frame("WXXX", [ID3Frame.utf8, 0] + url.utf8)
    }
    if let artwork = title.artwork {
      frames += ID3Frame.frame(
        "TXXX", [ID3Frame.utf8] + "artwork".utf8 + [0] + artwork.utf8 + [0])
    }
    return frames
  }

  /// Some players read up to a zero byte, so one ends the text.
  private static func text(_ id: String, _ text: String) -> [UInt8] {
    ID3Frame.frame(id, [ID3Frame.utf8] + text.utf8 + [0])
  }
}
