import Timeshift
import Wire

/// What counts as proof that arriving packets continue the log. Times are in seconds.
public struct StitchSettings: Hashable, Sendable {
  /// Packets that must be equal in a row, and how many of them must differ from each other: 20 s of digital silence
  /// by LAME are 768 frames, 6 of them distinct, in runs of 23 equal ones.
  public var runMin = 8
  public var distinctMin = 4
  /// How long packets are held while nothing is decided, and how long a burst must not have grown to be over.
  public var holdMax = 0.5
  /// How long they are held once a run is proven that has not come to the log's end: all of it is repetition, nobody
  /// misses anything, and a slow line needs its time for a long burst.
  public var overlapHoldMax = 5.0
  /// The same as long as it comes faster than it plays: behind it the upstream has nothing new, and so it ends.
  public var advanceHoldMax = 30.0
  /// What is held of another encoding's burst, where it comes at twice the pace of playing or faster.
  public var lapHoldMax = 7.5
  /// A run of too few distinct packets proves nothing; one that agrees this well with the clock is taken.
  public var weakTolerance = 1.0
  /// How much less new audio than time away an upstream may have: encoders, and servers of one encoder, are late.
  public var lateMax = 2.0
  /// As much again of the time away, for clocks that are slow, up to `driftMax`.
  public var drift = 0.05
  public var driftMax = 10.0
  /// How much more there may be: a queue that we were behind by, another server of the same encoder.
  public var aheadMax = 60.0
  /// A run this long is no jingle that is played again: the upstream has stood still.
  public var certainRun = 30.0
  /// The same of Ogg pages, which are a fifth of a second each: a piece from curl may hold no more than one of FLAC.
  public var pageRunMin = 3
  public var pageDistinctMin = 2
  /// Seconds of the log's newest audio that are compared: longer than any burst seen.
  public var tailSeconds = 120.0
  /// A longer burst is none: who sends so much at once sends a file, and its beginning is no past of a programme.
  public var burstMax = 75.0

  public init() {}

  /// As they are for audio of `codec`.
  func settings(for codec: Codec) -> StitchSettings {
    var settings = self
    if codec.isOgg { (settings.runMin, settings.distinctMin) = (pageRunMin, pageDistinctMin) }
    return settings
  }
}

/// What is known of an upstream before anything of it is compared.
struct StitchSource {
  /// Whether it may begin with its programme's past: no file does, and nobody who pushes.
  var hasPast = true
  /// Whether it may have waited while nobody took what it sends: an encoder that pushes.
  var mayPause = false
  /// How long the way there and back takes, seconds: what is sent at once comes in windows so far apart.
  var roundTrip = 0.0

  /// The packets with which the last connection began, by their hashes.
  var before: [UInt32] = []

  /// Whether it is made while it is sent: no file is.
  var isLive: Bool { hasPast || mayPause }
}

/// Where the log's audio ends by the clock.
struct StitchEnd {
  /// When the last packet came.
  var heardAt: MonotonicTime
  /// Until when the upstream is known to have had nothing behind it: it answered with what the log has and no more. Of a
  /// doubtful end it is when the last packet came at the latest.
  var knownAt: MonotonicTime
  /// How far the log was behind the upstream's programme, seconds: a slow line.
  var lag = 0.0
  /// The same where it is more than a queue: a relay that stood still.
  var behind = 0.0
  /// How long the upstream paused between two deliveries, seconds: some send ten seconds at a time.
  var pause = 0.0
  /// When the last packet came nobody can tell but that it was between the two times: what is equal decides.
  var isDoubtful = false

  init(
    _ heardAt: MonotonicTime, knownAt: MonotonicTime? = nil, lag: Double = 0, behind: Double = 0,
    pause: Double = 0, isDoubtful: Bool = false
  ) {
    self.heardAt = heardAt
    self.knownAt = max(heardAt, knownAt ?? heardAt)
    (self.lag, self.behind) = (lag, max(lag, behind))
    (self.pause, self.isDoubtful) = (pause, isDoubtful)
  }
}
