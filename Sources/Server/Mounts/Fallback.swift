import Timeshift

/// Another log that a mount's listeners hear while the mount's own log stands still.
///
/// The fallback is in force exactly as long as the own log ends at `edge`. The first packet behind it takes all
/// listeners back, even before the part that set the fallback notices.
public struct Fallback: Sendable {
  /// The fallback's log, whose audio never gets into the mount's own log.
  public var log: PacketLog
  /// Position where the mount's own log ends.
  public var edge: UInt64

  public init(log: PacketLog, edge: UInt64) {
    self.log = log
    self.edge = edge
  }
}
