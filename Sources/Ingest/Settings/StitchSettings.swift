import Timeshift
import Wire

/// Decides what proves that arriving packets continue the log. Times are in seconds.
public struct StitchSettings: Hashable, Sendable {
  /// The number of packets that must be equal in a row, and how many of them must differ from each other.
  ///
  /// 20 s of digital silence by LAME are 768 frames, 6 of them distinct, in runs of 23 equal ones.
  public var runMin = 8
  public var distinctMin = 4
  /// How long packets are held while nothing is decided, and how long a burst must not have grown to be over.
  public var holdMax = 0.5
  /// How long packets are held once a run is proven that has not come to the log's end.
  ///
  /// All of them are repetition, so listeners miss nothing, and a slow line needs time for a long burst.
  public var overlapHoldMax = 5.0
  /// The same limit while the run comes faster than it plays: the upstream has nothing new behind it, so it ends.
  public var advanceHoldMax = 30.0
  /// How long another encoding's burst is held, if it comes at twice the pace of playing or faster.
  public var lapHoldMax = 7.5
  /// How well a run of too few distinct packets must agree with the clock. Such a run proves nothing by itself.
  public var weakTolerance = 1.0
  /// How much less new audio than time away is allowed: encoders, and servers of one encoder, are late.
  public var lateMax = 2.0
  /// The share of the time away that is allowed besides, for slow clocks, up to `driftMax`.
  public var drift = 0.05
  public var driftMax = 10.0
  /// How much more new audio is allowed: a queue that the log was behind by, or another server of the same encoder.
  public var aheadMax = 60.0
  /// A run this long is no jingle that is played again: the upstream has stood still.
  public var certainRun = 30.0
  /// The same numbers for Ogg pages, which last a fifth of a second each: a piece from curl may hold only one page of
  /// FLAC.
  public var pageRunMin = 3
  public var pageDistinctMin = 2
  /// The length of the log's newest audio that is compared: longer than any burst seen.
  public var tailSeconds = 120.0
  /// The longest burst. A source that sends more at once sends a file, whose beginning is no past of a programme.
  public var burstMax = 75.0

  public init() {}

  /// The settings for audio of `codec`.
  func settings(for codec: Codec) -> StitchSettings {
    var settings = self
    if codec.isOgg { (settings.runMin, settings.distinctMin) = (pageRunMin, pageDistinctMin) }
    return settings
  }
}

/// Facts about an upstream that are known before any of its packets is compared.
struct StitchSource {
  /// Whether it may begin with its programme's past: neither a file nor a source that pushes does.
  var hasPast = true
  /// Whether it may have waited while nothing read what it sends: an encoder that pushes.
  var mayPause = false
  /// The round trip in seconds: a burst comes in windows this far apart.
  var roundTrip = 0.0

  /// The first packets of the last connection, by their hashes.
  var before: [UInt32] = []

  /// Whether the audio is made while it is sent: a file's is not.
  var isLive: Bool { hasPast || mayPause }
}

/// The end of the log's audio by the clock.
struct StitchEnd {
  /// When the last packet came.
  var heardAt: MonotonicTime
  /// Until when the upstream certainly had nothing behind the last packet: it answered with what the log has and no
  /// more.
  ///
  /// For a doubtful end: the latest time at which the last packet may have come.
  var knownAt: MonotonicTime
  /// How far the log was behind the upstream's programme, in seconds: a slow line.
  var lag = 0.0
  /// The same, if it is more than a queue: the relay stood still.
  var behind = 0.0
  /// The upstream's usual pause between two deliveries, in seconds: some send ten seconds at a time.
  var pause = 0.0
  /// Whether the last packet came at an unknown time between the two: then equal packets decide.
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
