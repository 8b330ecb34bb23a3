import Timeshift

/// Another log that a mount's live listeners hear while the mount's own log stands still, or is silent.
///
/// Where the own log stands still, the fallback is in force exactly as long as that log ends at `edge`. The first packet
/// behind it takes all listeners back, even before the part that set the fallback notices.
public struct Fallback: Sendable {
  /// The fallback's log, whose audio never gets into the mount's own log.
  public var log: PacketLog
  /// Position where the mount's own log ends, or from which its silence is not heard.
  public var edge: UInt64
  /// Whether the mount's own log goes on behind `edge`, in silence.
  public var isOverSilence: Bool
  /// Whether a listener stays until it has little left of what it was sent ahead of real time. Audio may come again
  /// before that; then it has missed nothing.
  public var waitsUntilDry: Bool

  public init(
    log: PacketLog, edge: UInt64, isOverSilence: Bool = false, waitsUntilDry: Bool = false
  ) {
    (self.log, self.edge) = (log, edge)
    (self.isOverSilence, self.waitsUntilDry) = (isOverSilence, waitsUntilDry)
  }

  /// Whether listeners are to hear the fallback while the mount's own log ends at `position`.
  func isInForce(at position: UInt64) -> Bool { isOverSilence || position == edge }
}
