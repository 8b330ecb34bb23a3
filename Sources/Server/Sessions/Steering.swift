import Timeshift
import Wire

/// A wish of a listener, or of a remote control, for the listener's place in time.
public enum Steering: Hashable, Sendable {
  case pause
  case resume
  /// Media time from where the listener is playing.
  case rewind(MediaTime)
  case forward(MediaTime)
  /// Media time behind the live edge.
  case behind(MediaTime)
  case at(WallTime)
  case track(TrackPlace)
  case live

  /// Whether the steering needs the right to be elsewhere than live.
  var isShift: Bool {
    switch self {
    case .rewind, .forward, .behind, .at, .track: true
    case .pause, .resume, .live: false
    }
  }

  /// Whether the steering is about a place in the station's own window.
  var leavesFallback: Bool {
    switch self {
    case .pause, .rewind, .forward, .behind, .at, .track: true
    case .resume, .live: false
    }
  }
}

/// What is steered: a listener, or a session without a connection.
enum SteeringSubject: Sendable {
  /// A listener by its number.
  case listener(UInt64)
  case session(SessionToken, SessionRecord)
}

/// A beginning of a title, seen from where a listener is playing.
public enum TrackPlace: String, Hashable, Sendable, CaseIterable {
  /// Beginning of the title that is playing there.
  case start = "track-start"
  case previous = "previous-track"
  case next = "next-track"
}

/// Outcome of steering.
public enum SteeringOutcome: Sendable {
  case done(SessionSnapshot)
  /// No such listener or session.
  case unknown
  /// Audio at the target has another codec than the listener's player was set up for.
  case otherCodec
  /// The station is heard live only.
  case forbidden
  /// The station is stopped, gone, or has nothing to play.
  case nothingToPlay
}

/// A listening session, or a listener without one, as its remote control shows it.
public struct SessionSnapshot: Sendable {
  public enum State: String, Sendable, CaseIterable {
    case playing
    case paused
    /// No client is connected; the place is kept.
    case disconnected
  }

  public var station: String
  public var state: State
  /// The next packet that the listener will get, as a byte of the station's log.
  public var position: UInt64
  /// Live edge less play point, media seconds.
  public var offset: Double
  /// Air times of the station's window.
  public var oldest: WallTime
  public var live: WallTime
  public var canRewind: Bool
  public var canForward: Bool
  /// Title that is heard there.
  public var title: TitleMark?
  /// What the session's connection was sent; nil without one, and while it gets the fallback.
  public var connection: Connection?
  /// Seconds that the session can go back, and forward to the live edge.
  public var rewindSeconds = 0.0
  public var forwardSeconds = 0.0
  /// The listener that has the session; nil without a connection.
  public var listener: UInt64?

  /// What reads the clock of a player, which counts decoded audio from 0, as a place in the log: media time
  /// `media + clock − after`.
  public struct Connection: Hashable, Sendable {
    /// Time when the connection began, or last jumped.
    public var since: WallTime
    /// First packet that was sent then: its media seconds, its byte, and when it was on air.
    public var media: Double
    public var position: UInt64
    public var air: WallTime
    /// Jumps since the connection began.
    public var jumps: Int
    /// Seconds of audio that the connection was sent before; nil when unknown.
    public var after: Double?
  }
}
