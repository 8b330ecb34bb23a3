import Timeshift
import Wire

/// A listener came, went, was skipped, has too slow a line, or has got a file to its end.
public struct ListenerEvent: Sendable {
  public enum Change: Sendable {
    case connected
    case disconnected(EndReason)
    case skipped
    /// The socket has taken less than the station's rate for some seconds.
    case exhausted(seconds: Double)
    /// The listener has got a file to its end.
    case fileComplete(path: String)
  }

  public var change: Change
  public var id: UInt64
  public var station: String
  public var address: String
  public var player: String?
  public var seconds: Double
  public var bytes: UInt64
}
