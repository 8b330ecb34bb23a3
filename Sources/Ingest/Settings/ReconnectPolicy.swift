import Timeshift

/// How long to wait before trying again. Times are in seconds.
public struct ReconnectSettings: Hashable, Sendable {
  /// So long after audio last came, an upstream is taken to be back any moment.
  public var quickSpan = 300.0
  /// The wait while it is. Its upper end and the connect must stay below a second together.
  public var quickDelay = 0.5...0.75
  /// A connect attempt is given up after this while it is: a dead host's SYNs are resent after 1, 3, 7 s only.
  public var quickConnectTimeout = 3.0
  public var delayMax = 30.0
  /// After answers that waiting will not cure.
  public var hopelessDelay = 30.0
  /// Such answers count as passing for so long: a server whose source is just returning says 404 meanwhile.
  public var hopelessGrace = 30.0
  /// So many attempts follow each other without a wait; each further one waits as a round of a single URL does.
  public var attemptsAtOnce = 12
  /// So many connections in a row may play for less than `steadyAfter` and still count as audio: what comes and goes
  /// at once is no upstream that is back any moment.
  public var unsteadyMax = 10
  /// A connection that played for so long begins a new round of URLs when it ends.
  public var steadyAfter = 2.0

  public init() {}
}

/// Decides how long to wait after every URL of a station has failed in turn.
///
/// Told of audio and of failures by the worker, with the time; it asks no clock and is as random as its seed.
public struct ReconnectPolicy: Sendable {
  /// What to do after a round of failures.
  public struct Wait: Hashable, Sendable {
    public var seconds: Double
    /// The station is `failed`: no answer of the round was one that waiting will cure.
    public var isFailed: Bool
  }

  public var settings: ReconnectSettings
  private var random: SplitMix
  private var lastAudio: MonotonicTime?
  private var slowRounds = 0
  /// Since the last wait or the last steady audio.
  private var attempts = 0
  /// Rounds in a row whose audio was not steady.
  private var unsteadyRounds = 0
  private var isUnsteady = false

  public init(settings: ReconnectSettings = ReconnectSettings(), seed: UInt64) {
    self.settings = settings
    random = SplitMix(state: seed)
  }

  /// Audio came before this policy was made: another process or other settings had it, so many seconds ago.
  public mutating func recall(away: Double, at now: MonotonicTime) {
    // Longer ago is as good as never.
    if away < settings.quickSpan { lastAudio = now.adding(-away) }
  }

  /// Audio has come; `isSteady`: its connection has played for a while.
  public mutating func delivered(at now: MonotonicTime, isSteady: Bool = true) {
    isUnsteady = !isSteady
    if isSteady { (attempts, unsteadyRounds) = (0, 0) }
    guard unsteadyRounds < settings.unsteadyMax else { return }
    lastAudio = now
    slowRounds = 0
  }

  /// The audio that has come was of no use.
  public mutating func gaveNothing() { lastAudio = nil }

  /// An attempt gave nothing, and another URL is next: how long to wait before it, in seconds.
  public mutating func attemptFailed() -> Double {
    attempts += 1
    return attempts < settings.attemptsAtOnce ? 0 : random.next(in: settings.quickDelay)
  }

  /// Every URL has failed; `hopeless`: all of them in a way that waiting will not cure.
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
    // 0.5 s, 1, 2, ... and from the seventh round on the maximum, a quarter of it by chance.
    let full = min(settings.delayMax, settings.quickDelay.lowerBound * Double(1 << slowRounds))
    slowRounds = min(slowRounds + 1, 16)
    return Wait(seconds: full * random.next(in: 0.75...1), isFailed: false)
  }

  /// What to allow a connect attempt that begins now.
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
