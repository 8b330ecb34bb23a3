import Timeshift

/// How the listeners of a mount are treated.
public struct ListenerSettings: Hashable, Sendable {
  /// What happens to a listener too slow for its place.
  public enum Behind: String, Sendable, CaseIterable {
    /// It keeps its place in the window and falls behind.
    case shift
    /// It jumps forward to where it should be.
    case skip
    /// It is disconnected.
    case drop
  }

  /// What keeps the connection of a paused listener.
  public enum Paused: String, Sendable, CaseIterable {
    /// Silence of the station's format, where that is certain to play; else nothing.
    case silence
    /// Nothing.
    case hold
  }

  /// How much is sent at once on joining: 0–60 s.
  public var burst = MediaTime(seconds: 4)
  public var behind = Behind.shift
  /// How far behind where it should be before skip or drop acts.
  public var lagMax = MediaTime(seconds: 30)
  /// Seconds without a byte taken after which a listener is disconnected; 0: never.
  public var pauseTimeout = 300.0
  /// What one gets that is paused by remote control.
  public var paused = Paused.silence
  /// Audio bytes between two ICY blocks, for those who ask for titles: `metaintMin` at least.
  public var metaint = 16_000

  /// Whether anybody may go elsewhere than live.
  public var allowsShift = true
  /// How far behind live they may go; nil: as far as the window goes.
  public var offsetMax: MediaTime?
  /// Whether pieces of the window may be fetched as files; nil: where listeners may go there themselves.
  public var allowsClips: Bool?

  /// How many may listen at once; nil: as many as the server takes.
  public var listenersMax: Int?
  /// Seconds after which a listener is disconnected, between two packets; 0: never.
  public var listeningTimeMax = 0.0

  /// Less would need more parts in one gather write than the kernel takes.
  public static let metaintMin = 512
  /// More than a minute at once would be a download, and is refused.
  public static let burstMax = MediaTime(seconds: 60)

  public init() {}
}

extension ListenerSettings {
  /// Whether clips are given.
  public var givesClips: Bool { allowsClips ?? allowsShift }

  /// nil: as far as the window goes.
  var reach: Reach? {
    if !allowsShift { return Reach(offset: .zero, slack: lagMax) }
    return offsetMax.map { Reach(offset: $0, slack: lagMax) }
  }

  /// Where nobody may be behind live, who is too slow for it skips.
  var behindAllowed: Behind { behind == .shift && !allowsShift ? .skip : behind }
}

/// How far behind live listeners may be.
struct Reach: Hashable, Sendable {
  /// Where they may go.
  var offset: MediaTime
  /// By how much more they may fall behind, as on a slow line.
  var slack: MediaTime

  /// Where whoever is beyond it goes.
  var end: Steering { offset == .zero ? .live : .behind(offset) }
}

extension LogReader {
  /// The oldest packet that may be gone to; nil: an index is being fetched.
  func oldest(within reach: Reach?) -> LogPoint? {
    guard let reach, edge.media - oldest.media > reach.offset else { return oldest }
    return point(atOrBefore: edge.media - reach.offset)
  }
}
