import Timeshift
import Wire

/// What a listener, or somebody for it, wants of its place in time.
public enum Steering: Hashable, Sendable {
  case pause
  case resume
  /// Media time from where it is playing.
  case rewind(MediaTime)
  case forward(MediaTime)
  /// Media time behind the live edge.
  case behind(MediaTime)
  case at(WallTime)
  case track(TrackPlace)
  case live

  /// Whether it needs the right to be elsewhere than live.
  var isShift: Bool {
    switch self {
    case .rewind, .forward, .behind, .at, .track: true
    case .pause, .resume, .live: false
    }
  }

  /// Whether it is about a place in the station's own window.
  var leavesFallback: Bool {
    switch self {
    case .pause, .rewind, .forward, .behind, .at, .track: true
    case .resume, .live: false
    }
  }
}

/// A beginning of a title, seen from where a listener is playing.
public enum TrackPlace: String, Hashable, Sendable, CaseIterable {
  /// Of what is playing there.
  case start = "track-start"
  case previous = "previous-track"
  case next = "next-track"
}

/// What became of it.
public enum SteeringOutcome: Sendable {
  case done(SessionSnapshot)
  /// No such listener or session.
  case unknown
  /// What is there was encoded by another codec than the listener's player was set up for.
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
    /// Nobody is connected; its place is kept.
    case disconnected
  }

  public var station: String
  public var state: State
  /// The next packet that it will get, as a byte of the station's log.
  public var position: UInt64
  /// Live edge less play point, media seconds.
  public var offset: Double
  /// Air times of the station's window.
  public var oldest: WallTime
  public var live: WallTime
  public var canRewind: Bool
  public var canForward: Bool
  /// What is heard there.
  public var title: TitleMark?
}
