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

  public var json: JSON { Self.shape.json(of: self) }

  /// The same without what is measured of each second.
  package var withoutFigures: SoundState {
    var state = self
    (state.levels, state.loudness) = (nil, nil)
    return state
  }
}

extension SoundState: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("state", Schema.words(["measured", "idle", "unavailable"])) { $0.state.word.json },
    Shape("reason", \.state.reason),
    Shape("channels", \.levels?.channels), Shape("loudness", \.loudness),
    Shape("silent", \.isSilent), Shape("loudnessState", \.loudnessState),
  ]
}

extension SoundState.State {
  fileprivate var word: String {
    switch self {
    case .measured: "measured"
    case .idle: "idle"
    case .unavailable: "unavailable"
    }
  }

  fileprivate var reason: String? {
    if case .unavailable(let reason) = self { reason } else { nil }
  }
}

extension LoudnessState: Shaped {}

/// Decibels of full scale, -120 at least, and the lit part of a bar, 0 to 1.
extension ChannelLevel: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("rms", Schema.number) { .hundredths($0.rms) },
    Shape("peak", Schema.number) { .hundredths($0.peak) }, Shape("display", \.display),
  ]
}

/// LUFS, LU and dBTP by EBU R 128.
extension Loudness: ShapedObject {
  package static let shape: [Shape<Self>] = [
    row("momentary", \.momentary), row("shortTerm", \.shortTerm),
    row("integrated", \.integrated), row("range", \.range), row("truePeak", \.truePeak),
  ]

  private static func row(
    _ name: String, _ value: @escaping @Sendable (Loudness) -> Double?
  ) -> Shape<Self> {
    Shape(name, Schema.known(Schema.number)) { .hundredths(value($0)) }
  }
}

extension Schema {
  package static let levels = [ChannelLevel].schema
  package static let loudness = Loudness.schema
}

extension JSON {
  /// Decibels as people read them.
  static func hundredths(_ value: Double?) -> JSON {
    JSON(value.map { ($0 * 100).rounded() / 100 })
  }
}
