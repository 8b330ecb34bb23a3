import Audio

/// Sound that has been below its station's level for as long as the station's rule says.
public struct DeadAir: Hashable, Sendable {
  public var isNow = false
  /// Position of the first packet with sound behind the last dead air; nil if there was none.
  public var soundFrom: UInt64?

  public init() {}
}

/// Where a station's loudness is, by the station's rule.
public enum LoudnessState: String, Hashable, Sendable, CaseIterable {
  case within
  case below
  case above

  init(_ bound: LoudnessWatch.Bound?) {
    switch bound {
    case nil: self = .within
    case .below: self = .below
    case .above: self = .above
    }
  }
}

/// What is known of a station's sound at the moment.
public struct SoundState: Hashable, Sendable {
  public enum State: Hashable, Sendable {
    case measured
    /// Nobody wants to know.
    case idle
    /// - Parameter reason: for people.
    case unavailable(String)
  }

  public var state = State.idle
  /// Levels of the newest twentieth of a second.
  public var levels: Levels?
  /// Loudness since it is measured.
  public var loudness: Loudness?
  /// Dead air; nil where nothing watches for it.
  public var deadAir: DeadAir?
  /// Where the loudness is; nil where nothing watches for its bounds.
  public var loudnessState: LoudnessState?
  /// Samples found clipped since this process began.
  public var clipped: UInt64 = 0

  /// Whether there is dead air; nil where nothing watches for it.
  public var isSilent: Bool? { deadAir?.isNow }

  /// LUFS of the last 3 s; nil while it is not measured.
  public var shortTermLoudness: Double? { loudness?.shortTerm }

  public init() {}

  /// The same without what is measured of each second.
  package var withoutFigures: SoundState {
    var state = self
    (state.levels, state.loudness) = (nil, nil)
    return state
  }

  public var json: JSON {
    let (word, reason): (String, String?) =
      switch state {
      case .measured: ("measured", nil)
      case .idle: ("idle", nil)
      case .unavailable(let reason): ("unavailable", reason)
      }
    return [
      "state": .string(word), "reason": JSON(reason),
      "channels": levels.map { .array($0.channels.map(\.json)) } ?? .null,
      "loudness": loudness?.json ?? .null,
      "silent": deadAir.map { .bool($0.isNow) } ?? .null,
      "loudnessState": JSON(loudnessState?.rawValue),
    ]
  }
}

extension ChannelLevel {
  var json: JSON {
    ["rms": .hundredths(rms), "peak": .hundredths(peak), "display": .number(display)]
  }
}

extension Loudness {
  var json: JSON {
    [
      "momentary": .hundredths(momentary), "shortTerm": .hundredths(shortTerm),
      "integrated": .hundredths(integrated), "range": .hundredths(range),
      "truePeak": .hundredths(truePeak),
    ]
  }
}

extension JSON {
  /// Decibels as people read them.
  static func hundredths(_ value: Double?) -> JSON {
    JSON(value.map { ($0 * 100).rounded() / 100 })
  }
}
