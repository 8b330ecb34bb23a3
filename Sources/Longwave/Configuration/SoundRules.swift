/// What is watched for in a station's sound.
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
  /// Nil to tell of no clipping.
  public var clipping: Clipping?

  public init() {}

  /// Whether the station is decoded all the time.
  var needSound: Bool { levels == .always || silence != nil || clipping != nil }
}
