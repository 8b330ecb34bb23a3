import Timeshift

/// How often a new decoder is made after refusals: three times in a second of sound, then not before a second has
/// passed. A decoder costs some milliseconds, and a stream may have a thousand packets a second that are refused.
struct RefusalPause {
  /// Media time.
  private static let length = MediaTime(seconds: 1)
  private static let refusalsMax = 3

  /// Where the newest refusals were, in media time; at most `refusalsMax`.
  private var refusals: [MediaTime] = []
  /// The refusal behind which no decoder is made for a second.
  private var pause: MediaTime?

  /// Notes that a decoder has refused a packet, and is of no use any more.
  mutating func refused(at media: MediaTime) {
    // One that is refused as soon as the pause is over begins another.
    if let pause, media >= pause, media - pause < Self.length + Self.length {
      return self.pause = media
    }
    if refusals.count == Self.refusalsMax { refusals.removeFirst() }
    refusals.append(media)
    let isCrowded =
      refusals.count == Self.refusalsMax && media >= refusals[0]
      && media - refusals[0] < Self.length
    pause = isCrowded ? media : nil
  }

  /// Whether a new decoder may be made for a packet at a media time. The audio in front of the last refusal is another
  /// place of the stream.
  func isOver(at media: MediaTime) -> Bool {
    guard let pause else { return true }
    return media < pause || media - pause >= Self.length
  }
}
