/// The readable part of a segment. One of these per segment is all that stays in memory.
struct SegmentInfo: Sendable {
  var start: LogPoint
  var end: LogPoint
  /// Bytes of audio and index.
  var bytes: UInt64
  var file: SegmentFile

  var audioBytes: UInt64 { end.position - start.position }
}
