/// What the players of a measurement do.
struct HLSPlan: Codable, Sendable {
  /// An answer that has to come with status 200 and so many bytes.
  struct Wanted: Codable, Sendable {
    var path: String
    /// nil: any number.
    var bytes: Int?
  }

  /// Connections that ask for one thing after the other, at random.
  struct Askers: Codable, Sendable {
    var connections: Int
    var wanted: [Wanted]
    /// Requests a second of all of them; nil: each asks once it is answered.
    var rate: Double?
  }

  /// Players that follow a list: each waits for the next segment, as players with blocking reload do.
  struct Players: Codable, Sendable {
    var count: Int
    /// The path of the media playlist.
    var list: String
    /// Whether they load the segments, too.
    var loadsSegments: Bool
  }

  /// Players that behave as real ones: they begin one by one, and load each segment.
  struct Followers: Codable, Sendable {
    var count: Int
    /// The path of the multivariant playlist.
    var live: String
    /// Each begins at a random moment of so many seconds.
    var seconds: Double
  }

  var port: UInt16
  /// The number of the load process; its connections have source addresses of their own.
  var part: Int
  var askers: Askers?
  var players: Players?
  var followers: Followers?
  var seed: UInt64 = 1
}

/// What players saw in a window.
struct HLSLoadFigures: Codable, Sendable {
  /// Answers to askers.
  var answers = 0
  var lists = 0
  var segments = 0
  var bytes = 0
  /// From the question to the last byte, of askers.
  var answered = LatencyHistogram.latencies
  /// From the first answer that names a segment to each player's, of players.
  var spread = LatencyHistogram.latencies
  /// From the question to the last byte, of followers' segments.
  var loaded = LatencyHistogram.latencies
  /// How many segments with different names followers had.
  var names = 0
  /// Connections that followers made.
  var connections = 0
  /// Segments that one follower had with other bytes than another.
  var different = 0
  /// How often a follower had nothing left to play.
  var stalls = 0
  /// Segments that had not come when all was over.
  var unanswered = 0
  /// Lists that real players cannot use.
  var unusable = 0
  /// Answers with another status or length.
  var wrong = 0
  /// Lists without a newer segment, although that was waited for.
  var unequal = 0
  /// Connections that the server ended.
  var ended = 0
  /// The first fault, in words.
  var firstFault: String?

  /// The faults that no player should ever see, in words; empty without any.
  var errors: [String] {
    let counts = [
      ("wrong answers", wrong), ("lists that were not newer", unequal), ("hung up", ended),
      ("unusable lists", unusable), ("segments with other bytes", different), ("stalls", stalls),
      ("segments that did not come", unanswered),
    ]
    return counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" } + [firstFault].compactMap(\.self)
  }
}
