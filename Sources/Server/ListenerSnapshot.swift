import Timeshift
import Wire

/// One listener, copied out.
public struct ListenerSnapshot: Sendable {
  public enum State: String, Sendable, CaseIterable {
    case live
    /// At a place of its own, paced.
    case shifted
    /// Its socket takes nothing.
    case stalled
    /// By remote control.
    case paused
    /// Hears its station's fallback; its place is where it left.
    case fallback
  }

  /// Never reused while the server runs.
  public var id: UInt64
  public var station: String
  public var address: String
  /// Who it has shown to be; nil where nobody asked.
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

/// A listener came or went.
public struct ListenerEvent: Sendable {
  public enum Change: Sendable {
    case connected
    case disconnected(EndReason)
    case skipped
    /// It has got a file to its end.
    case fileComplete(path: String)
    /// A session's listener hears another title.
    case heard(TitleMark, SessionToken)
  }

  public var change: Change
  public var id: UInt64
  public var station: String
  public var address: String
  public var player: String?
  public var seconds: Double
  public var bytes: UInt64
}

/// The server's own figures, summed over its loops.
public struct ServerFigures: Sendable {
  public var loops = 0
  public var listeners = 0
  public var listenersMax = 0
  public var connections = 0
  /// Over the network.
  public var connectionsMax = 0
  /// Connections that are told of events.
  public var watchers = 0
  public var watchersMax = 0
  public var blocked = 0
  public var accepted: UInt64 = 0
  public var refused: UInt64 = 0
  public var bytesSent: UInt64 = 0
  /// Being sent now, and all there were.
  public var clips = 0
  public var clipsTotal: UInt64 = 0
  public var clipBytes: UInt64 = 0
  /// Files on demand that are open, each for all who hear it.
  public var filesOpen = 0
  public var filesOpenMax = 0
  /// Slots of 25 ms in which a loop's clips and files in their burst had to wait for each other.
  public var promptSlotsFull: UInt64 = 0
  public var writes: UInt64 = 0
  public var wouldBlocks: UInt64 = 0
  public var skips: UInt64 = 0
  public var overruns: UInt64 = 0
  public var handshakes = HandshakeFigures()

  public init() {}
}
