import Timeshift

/// How the listeners of a mount are treated.
public struct ListenerSettings: Hashable, Sendable {
  /// Treatment of a listener that is too slow for its place.
  public enum Behind: String, Sendable, CaseIterable {
    /// The listener keeps its place in the window and falls behind.
    case shift
    /// The listener jumps forward to where it should be.
    case skip
    /// The listener is disconnected.
    case drop
  }

  /// Data that keeps the connection of a paused listener.
  public enum Paused: String, Sendable, CaseIterable {
    /// Silence of the station's format, where that is certain to play; else nothing.
    case silence
    /// Nothing.
    case hold
  }

  /// Media time that is sent at once on joining: 0–60 s.
  public var burst = MediaTime(seconds: 4)
  public var behind = Behind.shift
  /// How far a listener may be behind where it should be before skip or drop acts.
  public var lagMax = MediaTime(seconds: 30)
  /// Seconds without a byte taken after which a listener is disconnected; 0 for never.
  public var pauseTimeout = 300.0
  /// Data for a listener that is paused by remote control.
  public var paused = Paused.silence
  /// Audio bytes between two ICY blocks, for listeners that ask for titles: `metaintMin` at least.
  public var metaint = 16_000

  /// Whether listeners may go elsewhere than live.
  public var allowsShift = true
  /// How far behind live listeners may go; nil for as far as the window goes.
  public var offsetMax: MediaTime?
  /// Whether pieces of the window may be fetched as files; nil for the value of `allowsShift`.
  public var allowsClips: Bool?
  public var hls = HLSSettings()

  /// Most listeners at once; nil for as many as the server takes.
  public var listenersMax: Int?
  /// Seconds after which a listener is disconnected, between two packets; 0 for never.
  public var listeningTimeMax = 0.0

  /// Least `metaint`: less would need more parts in one gather write than the kernel takes.
  public static let metaintMin = 512
  /// Longest burst: more than a minute at once would be a download, and is refused.
  public static let burstMax = MediaTime(seconds: 60)

  public init() {}
}

extension ListenerSettings {
  /// Whether clips are given.
  public var givesClips: Bool { allowsClips ?? allowsShift }

  /// Returns the seconds for which a listener may listen, by its ticket or else by the mount; nil without end.
  func listeningTime(by ticket: ListenerTicket?) -> Double? {
    let seconds = ticket?.timeMax ?? listeningTimeMax
    return seconds > 0 ? seconds : nil
  }

  /// How far behind live listeners may be; nil for as far as the window goes.
  var reach: Reach? {
    if !allowsShift { return Reach(offset: .zero, slack: lagMax) }
    return offsetMax.map { Reach(offset: $0, slack: lagMax) }
  }

  /// Treatment of slow listeners: where none may be behind live, a listener that is too slow skips instead of shifting.
  var behindAllowed: Behind { behind == .shift && !allowsShift ? .skip : behind }
}

/// How far behind live listeners may be.
struct Reach: Hashable, Sendable {
  /// How far behind live listeners may go.
  var offset: MediaTime
  /// By how much more listeners may fall behind, as on a slow line.
  var slack: MediaTime

  /// Steering for a listener that is beyond the reach.
  var end: Steering { offset == .zero ? .live : .behind(offset) }
}

extension LogReader {
  /// Returns the oldest packet that listeners may go to; nil while an index is being fetched.
  func oldest(within reach: Reach?) -> LogPoint? {
    guard let reach, edge.media - oldest.media > reach.offset else { return oldest }
    return point(atOrBefore: edge.media - reach.offset)
  }
}
