import Timeshift

/// How often a new decoder is made after refusals: three times in a second of sound, then not before a second has
/// passed. A decoder costs some milliseconds, and a stream may have a thousand packets a second that are refused.
struct RefusalPause {
  /// Media time.
  private static let length = MediaTime(seconds: 1)
  private static let refusalsMax = 3

  /// Where the newest refusals were, in media time; at most `refusalsMax`.
  private var refusals: [MediaTime] = []

  /// Notes that a decoder has refused a packet, and is of no use any more.
  mutating func refused(at media: MediaTime) {
    if refusals.count == Self.refusalsMax { refusals.removeFirst() }
    refusals.append(media)
  }

  /// Whether a new decoder may be made for a packet at a media time. What is in front of the last refusal is another
  /// place of the stream.
  func isOver(at media: MediaTime) -> Bool {
    guard refusals.count == Self.refusalsMax, let first = refusals.first, let last = refusals.last
    else { return true }
    let isCrowded = last - first < Self.length
    return !isCrowded || media < last || media - last >= Self.length
  }
}
