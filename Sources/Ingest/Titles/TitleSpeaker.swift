import Timeshift

/// Sender of a station's audio, and so of its titles: another sender's titles are not its own.
enum TitleSpeaker: Hashable {
  /// One of the station's URLs, or its program.
  case upstream(String)
  /// An encoder that pushes, by what tells it from others.
  case encoder(address: String, agent: String?, name: String?)

  /// Seconds that an encoder may have been away to be in the same programme still. An encoder tries again at once, and
  /// a song lasts some minutes.
  private static let grace = 120.0

  /// Whether the titles of `previous` are still right.
  ///
  /// - Parameters:
  ///   - previous: who sent before; nil where nobody remembers, as after a restart.
  ///   - away: how long the log had no upstream; nil for an empty log.
  func continues(_ previous: TitleSpeaker?, away: TimeAway?) -> Bool {
    if let previous, previous != self { return false }
    guard case .encoder = self else { return true }
    return switch away {
    case .exactly(let seconds): seconds <= Self.grace
    case .atLeast: false
    case nil: true
    }
  }
}

/// Ends the last speaker's title in front of the audio of a new one that says none.
struct SpeakerWatch {
  /// Whose audio is in the log.
  private var last: TitleSpeaker?
  private var speaker: TitleSpeaker?
  private var isNew = false
  /// Whether a request has said a title for this connection, perhaps before its first audio.
  private var hasSpoken = false
  /// Bytes of audio in front of the upstream's first title block; 0 for none.
  private var bytesToBlock = 0
  private var received = 0

  mutating func connectionBegins() { (speaker, isNew, hasSpoken) = (nil, false, false) }

  /// Notes who sends from now on.
  ///
  /// - Parameter metaint: the bytes of audio in front of its first title block; nil for no blocks.
  mutating func opened(_ speaker: TitleSpeaker, metaint: Int?, away: TimeAway?) {
    self.speaker = speaker
    isNew = !hasSpoken && !speaker.continues(last, away: away)
    (bytesToBlock, received) = (metaint ?? 0, 0)
  }

  /// The connection has a title of its own, or goes on with the very audio that the log ends with.
  mutating func spoke() { (isNew, hasSpoken) = (false, true) }

  mutating func arrived(bytes: Int) { received &+= bytes }

  /// Notes that a packet is written. True: the last title ends in front of it.
  mutating func begins(with bytes: Int) -> Bool {
    last = speaker ?? last
    // Until its first block is due, an upstream with blocks may still say its title.
    guard isNew, received &- bytes >= bytesToBlock else { return false }
    isNew = false
    return true
  }
}
