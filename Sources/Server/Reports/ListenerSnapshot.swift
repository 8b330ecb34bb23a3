import Timeshift
import Wire

/// One listener, copied out.
public struct ListenerSnapshot: Sendable {
  public enum State: String, Sendable, CaseIterable {
    case live
    /// At a place of its own, paced.
    case shifted
    /// The listener's socket takes nothing.
    case stalled
    /// Paused by remote control.
    case paused
    /// The listener hears its station's fallback; its place is where it left.
    case fallback
  }

  /// Number of the listener, never reused while the server runs.
  public var id: UInt64
  public var station: String
  public var address: String
  /// Name that the listener has proved; nil where none was asked for.
  public var user: String?
  /// The User-Agent; nil where none was sent.
  public var player: String?
  /// "http/1.0" or "http/1.1", with " over TLSv1.3" and the like where it is encrypted.
  public var protocolName: String
  public var connectedAt: WallTime
  public var seconds: Double
  public var bytes: UInt64
  /// Live edge less play point, media seconds; nil while an index is being fetched.
  public var offset: Double?
  /// Live edge less the last byte the socket took, media seconds.
  public var lag: Double?
  public var state: State
  public var session: SessionToken?
  /// The title at its place, or of the fallback it hears.
  public var title: TitleMark?
}
