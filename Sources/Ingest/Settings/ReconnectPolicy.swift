import Timeshift

/// How long a station waits before it tries its upstreams again. Times are in seconds.
public struct ReconnectSettings: Hashable, Sendable {
  /// The time after the last audio in which an upstream is expected back any moment.
  public var quickSpan = 300.0
  /// The wait within `quickSpan`. Its upper end and the connect must stay below a second together.
  public var quickDelay = 0.5...0.75
  /// The time-out for connecting within `quickSpan`: a dead host's SYNs are resent after 1, 3, 7 s only.
  public var quickConnectTimeout = 3.0
  public var delayMax = 30.0
  /// The wait after answers that waiting will not cure.
  public var hopelessDelay = 30.0
  /// The time for which such answers count as passing: a server whose source is just returning answers 404 meanwhile.
  public var hopelessGrace = 30.0
  /// The number of attempts that follow each other without a wait. Each further one waits as a round of a single URL
  /// does.
  public var attemptsAtOnce = 12
  /// The number of connections in a row that may play for less than `steadyAfter` and still count as audio.
  ///
  /// An upstream that only comes and goes is not expected back any moment.
  public var unsteadyMax = 10
  /// The time after which a connection's end begins a new round of URLs.
  public var steadyAfter = 2.0

  public init() {}
}

/// Decides how long to wait after every URL of a station has failed in turn.
///
/// The worker reports audio and failures, with the time. The policy asks no clock, and is as random as its seed.
public struct ReconnectPolicy: Sendable {
  /// The wait after a round of failures.
  public struct Wait: Hashable, Sendable {
    public var seconds: Double
    /// Whether the station is `failed`: no answer of the round was one that waiting will cure.
    public var isFailed: Bool
  }

  public var settings: ReconnectSettings
  private var random: SplitMix
  private var lastAudio: MonotonicTime?
  private var slowRounds = 0
  /// Attempts since the last wait or the last steady audio.
  private var attempts = 0
  /// Rounds in a row whose audio was not steady.
  private var unsteadyRounds = 0
  private var isUnsteady = false

  public init(settings: ReconnectSettings = ReconnectSettings(), seed: UInt64) {
    self.settings = settings
    random = SplitMix(state: seed)
  }

  /// Notes audio from before this policy was made, `away` seconds ago: another process or other settings had it.
  public mutating func recall(away: Double, at now: MonotonicTime) {
    // Audio longer ago than `quickSpan` counts as none.
    if away < settings.quickSpan { lastAudio = now.adding(-away) }
  }

  /// Notes audio. `isSteady`: its connection has played for a while.
  public mutating func delivered(at now: MonotonicTime, isSteady: Bool = true) {
    isUnsteady = !isSteady
    if isSteady { (attempts, unsteadyRounds) = (0, 0) }
    guard unsteadyRounds < settings.unsteadyMax else { return }
    lastAudio = now
    slowRounds = 0
  }

  /// Notes that the audio was of no use.
  public mutating func gaveNothing() { lastAudio = nil }

  /// Notes an attempt that gave nothing, when another URL is next. Returns the seconds to wait before that.
  public mutating func attemptFailed() -> Double {
    attempts += 1
    return attempts < settings.attemptsAtOnce ? 0 : random.next(in: settings.quickDelay)
  }

  /// Notes that every URL has failed. `hopeless`: all of them in a way that waiting will not cure.
  public mutating func roundFailed(hopeless: Bool, at now: MonotonicTime) -> Wait {
    attempts = 0
    if isUnsteady { unsteadyRounds += 1 }
    isUnsteady = false
    let away = away(at: now)
    if hopeless && away >= settings.hopelessGrace {
      return Wait(seconds: settings.hopelessDelay, isFailed: true)
    }
    if away < settings.quickSpan {
      return Wait(seconds: random.next(in: settings.quickDelay), isFailed: false)
    }
    // 0.5 s, 1, 2, ... and from the seventh round on the maximum; chance takes off up to a quarter.
    let full = min(settings.delayMax, settings.quickDelay.lowerBound * Double(1 << slowRounds))
    slowRounds = min(slowRounds + 1, 16)
    return Wait(seconds: full * random.next(in: 0.75...1), isFailed: false)
  }

  /// The time-out for a connect attempt that begins now.
  public func connectTimeout(_ configured: Double, at now: MonotonicTime) -> Double {
    away(at: now) < settings.quickSpan ? min(configured, settings.quickConnectTimeout) : configured
  }

  private func away(at now: MonotonicTime) -> Double {
    lastAudio.map { now.seconds(since: $0) } ?? .infinity
  }
}

/// SplitMix64: small, seedable, good enough for jitter.
struct SplitMix: RandomNumberGenerator, Sendable {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func next(in range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &self)
  }
}
