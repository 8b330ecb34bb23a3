import Wire

/// Answers for the disk's side of a log: where to go on writing, and which marks belong there.
extension LogLists {
  /// Forgets lost segments. Returns the point from which on the log must be written.
  mutating func forgetLost(
    _ files: Set<ObjectIdentifier>, written: LogPoint, isHeld: Bool
  ) -> LogPoint {
    forget(lost: files)
    forgetMarks()
    let kept = active?.end ?? segments.last?.end
    let known = knownOldest
    let edge = known.position < (kept?.position ?? 0) ? kept! : known
    let start = edge.position < written.position ? edge : written
    if let kept, kept.position < start.position { holes += 1 }
    if isHeld { diskEdge = start.position }
    return start
  }

  /// Replaces the segments by those found in the folder. Returns found segments of another log, the lost parts of known
  /// ones, and the point from which on the log must be written.
  mutating func takeAgain(
    _ found: LogLists, written: LogPoint, isHeld: Bool
  ) -> (others: [SegmentInfo], lost: [SegmentInfo], edge: LogPoint) {
    let before = segments
    let seeds = Dictionary(before.map { ($0.start.position, $0.file.seed) }) { first, _ in first }
    // All segments behind one of another log belong to that log.
    let ours = found.segments.prefix { segment in
      (seeds[segment.start.position] ?? segment.file.seed) == segment.file.seed
        && isInLog(segment.end)
    }
    let isDoomed = Set(doomed.map(\.start.position))
    let kept = ours.filter { !isDoomed.contains($0.start.position) }
    take(again: found, kept: kept)
    let end = kept.last?.end
    let known = knownOldest
    var start = known.position < written.position ? known : written
    if let end, end.position >= known.position { start = end }
    if let end, end.position < start.position { holes += 1 }
    if isHeld { diskEdge = start.position }
    let lost = before.compactMap { known -> SegmentInfo? in
      var rest = known
      let first = known.start.position
      if let same = kept.last(where: { $0.start.position <= first }), first < same.end.position {
        rest.start = same.end
      }
      return rest.start.position < min(rest.end.position, start.position) ? rest : nil
    }
    return (Array(found.segments.dropFirst(ours.count)), lost, start)
  }

  /// Whether a packet ends at `point`; assumed for points that are no longer in memory.
  private func isInLog(_ point: LogPoint) -> Bool {
    if point.position < memoryOldest.position { return true }
    if point.position >= edge.position { return point == edge }
    guard let block = blocks.last(where: { $0.start.position <= point.position }) else {
      return false
    }
    let packet = block.packets(upTo: point.position)
    return packet < block.packets(upTo: edge.position)
      && block.start.position + UInt64(block.entries[packet].offset) == point.position
      && block.entries[packet].start == point.media.stored
  }

  /// The oldest packet in memory whose format is still known. More formats may come than are remembered before the disk
  /// is written.
  var knownOldest: LogPoint {
    guard let first = formats.first?.position, first > memoryBegin.position,
      let block = blocks.last(where: { $0.start.position <= first })
    else { return memoryBegin }
    let packet = block.packets(upTo: first)
    guard packet < block.packets(upTo: edge.position) else { return edge }
    return LogPoint(position: first, media: MediaTime(stored: block.entries[packet].start))
  }

  /// The position of the next format.
  func formatEnd(after position: UInt64) -> UInt64 {
    formats.first { $0.position > position }?.position ?? .max
  }

  /// The marks to be written with the packets of `range`, in order.
  ///
  /// A segment's beginning repeats what is in force, so that the segment is understood without those before it. Titles
  /// from `titlesFrom` on may have become known when their packets were already written; they come here with their own,
  /// earlier position.
  func records(
    in range: Range<UInt64>, anchorsAfter revision: UInt64, titlesFrom: UInt64, startsSegment: Bool
  ) -> [SegmentRecord] {
    let current = startsSegment ? air.anchors.last { $0.position <= range.lowerBound } : nil
    let anchors = air.anchors.filter { $0.revision > revision || $0 == current }
    var records = anchors.flatMap { SegmentRecord.records(of: $0) }
    let before = titles.prefix { $0.position < range.lowerBound }
    let late = before.filter { $0.position >= titlesFrom }
    if startsSegment, late.isEmpty, let title = before.last { records.append(.init(title)) }
    let origin = startsSegment ? origins.last { $0.position < range.lowerBound } : nil
    let from =
      (origin.map { [$0] } ?? []) + origins.filter { range.contains($0.position) }
    let marks =
      (late + titles.filter { range.contains($0.position) }).map { SegmentRecord($0) }
      + gaps.filter { range.contains($0.position) }.map { SegmentRecord.gap($0) }
      + from.map { SegmentRecord.origin($0) }
    return records + marks.sorted { $0.markPosition! < $1.markPosition! }
  }
}
