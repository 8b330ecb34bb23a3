/// What a reader of the log gets.
public enum LogAnswer {
  /// Audio, contiguous; valid until the reader's next `refresh()`.
  case bytes(UnsafeRawBufferPointer)
  /// Nothing newer yet.
  case liveEdge
  /// It is being fetched from the disk: ask again next turn.
  case loading
  /// It never reached the disk, or is damaged there; audio goes on at `next`.
  case hole(next: LogPoint)
  /// It is older than the oldest packet there is.
  case overrun(oldest: LogPoint)
}
