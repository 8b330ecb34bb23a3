import Wire

/// The rules of a station that the relay makes of music it has.
///
/// A value without a clock: what is played by them is worked out by `Plan`.
public struct Programme: Hashable, Sendable {
  /// The packets of a programme, the same from its first one on.
  public struct Format: Hashable, Sendable {
    public enum Codec: String, Hashable, Sendable, CaseIterable {
      case mp3, aac, opus
    }

    public var codec: Codec
    /// kbit/s of what is made to fit.
    public var bitrate: Int
    public var sampleRate: Int
    public var isMono: Bool

    public init(
      codec: Codec = .mp3, bitrate: Int = 192, sampleRate: Int = 44_100, isMono: Bool = false
    ) {
      (self.codec, self.bitrate) = (codec, bitrate)
      (self.sampleRate, self.isMono) = (sampleRate, isMono)
    }
  }

  /// Another station that is played for as long as it plays.
  public struct Live: Hashable, Sendable {
    public var station: String
    public var onset: Onset
    /// Seconds of silence after which the next item begins.
    public var afterSilence: Double

    public static let silences = 1.0...600.0

    public init(_ station: String, onset: Onset = .hard, afterSilence: Double = 10) {
      (self.station, self.onset, self.afterSilence) = (station, onset, afterSilence)
    }
  }

  /// Hours with rules of their own.
  public struct Part: Hashable, Sendable {
    public var times: WeeklyTimes
    public var rules: PlayRules
    public var onset: Onset
    /// Seconds that a soft beginning waits at most for what plays to end.
    public var late: Int

    public static let lates = 0...7200
    public static let lateStandard = 600

    public init(
      _ times: WeeklyTimes, _ rules: PlayRules, onset: Onset = .soft, late: Int = lateStandard
    ) {
      (self.times, self.rules, self.onset, self.late) = (times, rules, onset, late)
    }
  }

  /// What holds outside of all parts.
  public var rules: PlayRules
  /// nil: made once, and kept in the state.
  public var seed: Int64?
  /// nil: that of most of its music, found once.
  public var format: Format?
  /// Seconds: away no longer than this, it goes on at the packet.
  public var resume: Double
  public var titleFormat: String
  /// How many of the items to come everybody is told.
  public var publishNext: Int
  /// The first part that is on counts.
  public var parts: [Part]
  public var live: Live?

  /// Whole numbers that JSON has everywhere.
  public static let seeds: ClosedRange<Int64> = 0...9_007_199_254_740_991
  public static let resumes = 0.0...604_800.0
  public static let resumeStandard = 600.0
  public static let titleFormatStandard = "{artist} - {title}"
  public static let publishedItems = 0...10
  public static let partsMax = 64

  public init(
    _ rules: PlayRules, seed: Int64? = nil, format: Format? = nil,
    resume: Double = Programme.resumeStandard,
    titleFormat: String = Programme.titleFormatStandard, publishNext: Int = 1,
    parts: [Part] = [], live: Live? = nil
  ) {
    (self.rules, self.seed, self.format, self.resume) = (rules, seed, format, resume)
    (self.titleFormat, self.publishNext) = (titleFormat, publishNext)
    (self.parts, self.live) = (parts, live)
  }

  /// The programme of one source, with everything else as it is where nothing is said.
  public init(playing source: Source, order: Order = .sequence) {
    self.init(PlayRules(.play(source), order: order))
  }

  /// Returns the rules that hold in a part, or outside of all.
  public func rules(in part: Int?) -> PlayRules {
    guard let part, parts.indices.contains(part) else { return rules }
    return rules.replaced(by: parts[part].rules)
  }

  /// All sources that are named somewhere, each once, as they come.
  public var sources: [Source] {
    var seen: Set<Source> = []
    let all = ([rules] + parts.map(\.rules)).flatMap { rules in
      (rules.choice?.sources ?? []) + (rules.inserts ?? []).map(\.source)
    }
    return all.filter { seen.insert($0).inserted }
  }
}
