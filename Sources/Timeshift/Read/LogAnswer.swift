/// The answer to a read of the log.
public enum LogAnswer {
  /// Contiguous audio, valid until the reader's next `refresh()`.
  case bytes(UnsafeRawBufferPointer)
  /// There is nothing newer yet.
  case liveEdge
  /// The audio is being fetched from the disk: ask again next turn.
  case loading
  /// The audio never reached the disk, or is damaged there; audio goes on at `next`.
  case hole(next: LogPoint)
  /// The position is older than the oldest packet.
  case overrun(oldest: LogPoint)
}
