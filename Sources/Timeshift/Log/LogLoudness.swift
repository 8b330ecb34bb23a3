import Synchronization
import Wire

/// How loud a log's window is, second by second.
public struct LogLoudness: Sendable {
  public var oldest: MediaTime
  public var edge: MediaTime
  /// Whether the log's packets say how loud they are.
  public var isKnown: Bool
  public var line: LoudnessLine
  public var measured = MeasuredLoudness()
}

extension PacketLog {
  /// - Parameter delay: how much later than the log all is told.
  public func loudness(delay: MediaTime = .zero, at now: Moment) -> LogLoudness {
    let shown = delay == .zero ? snapshot() : snapshot(delay: delay, at: now)
    let line = loudness.withLock { $0 }
    let measured = measured.withLock { measured in
      // Nobody may measure any more.
      measured.forget(before: shown.oldest.media.second)
      return measured
    }
    let isKnown = shown.format.map { FrameLoudness.isKnown(of: $0.codec) } ?? false
    return LogLoudness(
      oldest: shown.oldest.media, edge: shown.edge.media, isKnown: isKnown || !line.isEmpty,
      line: line, measured: measured)
  }

  /// Keeps how loud a second of media time was, in the scale of `LoudnessLine`. What left the window is forgotten.
  public func keep(measured loudness: UInt8, at second: Int64) {
    let (oldest, edge) = lists.withLock { ($0.oldest.media.second, $0.edge.media.second) }
    // Only seconds of the log, so that nobody makes the line long.
    guard oldest <= second, second <= edge else { return }
    measured.withLock { measured in
      measured.add(loudness, at: second)
      measured.forget(before: oldest)
    }
  }
}
