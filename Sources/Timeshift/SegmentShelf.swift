/// The segments a reader has at hand.
final class SegmentShelf {
  init(_ store: LogStore?) {}
  func turn() {}
  func take(_ lists: LogLists) {}
  func read(
    at position: UInt64, upTo end: UInt64, limit: Int, scratch: UnsafeMutableRawBufferPointer,
    memory: LogPoint
  ) -> LogAnswer { .hole(next: memory) }
  func point(atOrBefore media: MediaTime, isSpan: Bool) -> LogPoint? { nil }
  func bounds(at position: UInt64, memory: LogPoint) -> (start: LogPoint, end: UInt64)? { nil }
}
