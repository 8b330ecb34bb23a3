import Timeshift

/// What a mount's listeners get while its own log stands still.
///
/// It is in force exactly as long as the log ends at `edge`: the first packet behind it takes everybody back, whenever
/// whoever set it notices.
public struct Fallback: Sendable {
  /// Its audio, which never gets into the mount's own log.
  public var log: PacketLog
  /// Where the mount's own log stands.
  public var edge: UInt64

  public init(log: PacketLog, edge: UInt64) {
    self.log = log
    self.edge = edge
  }
}
