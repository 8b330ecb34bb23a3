import Synchronization
import Wire

/// How loud a log's window is, second by second.
public struct LogLoudness: Sendable {
  public var oldest: MediaTime
  public var edge: MediaTime
  /// Whether the log's packets say how loud they are.
  public var isKnown: Bool
  public var line: LoudnessLine
}

extension PacketLog {
  /// - Parameter delay: how much later than the log all is told.
  public func loudness(delay: MediaTime = .zero, at now: Moment) -> LogLoudness {
    let shown = delay == .zero ? snapshot() : snapshot(delay: delay, at: now)
    let line = loudness.withLock { $0 }
    let isKnown = shown.format.map { FrameLoudness.isKnown(of: $0.codec) } ?? false
    return LogLoudness(
      oldest: shown.oldest.media, edge: shown.edge.media, isKnown: isKnown || !line.isEmpty,
      line: line)
  }
}
