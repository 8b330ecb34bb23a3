import Audio

/// Conditions that are watched for in a station's sound.
public struct SoundRules: Hashable, Sendable {
  /// When levels and loudness are measured.
  public enum Levels: String, Sendable, CaseIterable, SettingValue {
    case always
    case watched
  }

  /// Dead air: sound that stays below a level.
  public struct Silence: Hashable, Sendable {
    /// dBFS of the loudest channel's RMS.
    public var below = -50.0
    /// Seconds that it has to last.
    public var hold = 10.0
    /// Whether listeners hear the station's fallback meanwhile.
    public var startsFallback = false

    public init() {}

    static let rows: [KeyRow<Silence>] = [
      KeyRow("below", \.below, .decibels(ConfigurationLimits.silence)),
      KeyRow("for", \.hold, .duration(ConfigurationLimits.silenceHold)),
      KeyRow("fallback", \.startsFallback, .flag),
    ]
  }

  /// Loudness that is to stay within bounds.
  public struct Loudness: Hashable, Sendable {
    /// LUFS of 3 s; nil for no bound.
    public var below: Double?
    public var above: Double?
    /// Seconds that it has to be out.
    public var hold = 30.0

    public init() {}

    package var watch: LoudnessWatch { LoudnessWatch(below: below, above: above, for: hold) }

    static let rows: [KeyRow<Loudness>] = [
      KeyRow("below", \.below, .decibels(ConfigurationLimits.loudness, "LUFS")),
      KeyRow("above", \.above, .decibels(ConfigurationLimits.loudness, "LUFS")),
      KeyRow("for", \.hold, .duration(ConfigurationLimits.loudnessHold))
        .checked { reader, rule in rule.report(to: reader) },
    ]

    private func report(to reader: SettingReader) {
      if reader.field("below") == nil, reader.field("above") == nil {
        reader.report("is missing; write it, or above:, in LUFS, such as -30", key: "below")
      }
      if let below, let above, below >= above {
        reader.report(
          "is \(JSON.decimal(below)), and above: \(JSON.decimal(above)); "
            + "write the lower one here", key: "below")
      }
    }
  }

  /// Clipping: samples in a row at full scale.
  public struct Clipping: Hashable, Sendable {
    /// Fewer in a row do not count.
    public var samples = 10

    public init() {}

    static let rows: [KeyRow<Clipping>] = [
      KeyRow("samples", \.samples, .integer(ConfigurationLimits.clippedSamples))
    ]
  }

  public var levels = Levels.watched
  /// Nil to watch for no dead air.
  public var silence: Silence?
  /// Nil to watch for no loudness out of bounds.
  public var loudness: Loudness?
  /// Nil to tell of no clipping.
  public var clipping: Clipping?

  public init() {}

  /// Whether the station is decoded all the time.
  package var needSound: Bool {
    levels == .always || silence != nil || loudness != nil || clipping != nil
  }
}
