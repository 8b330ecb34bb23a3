import Wire

/// What the disk's side of a log asks of its lists: from where on to write, and which marks belong there.
extension LogLists {
  /// Returns from where on is to be written.
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

  /// What is found in the folder by now counts. Returns what of it is not this log's, how much of what was known is lost,
  /// and from where on is to be written.
  mutating func takeAgain(
    _ found: LogLists, written: LogPoint, isHeld: Bool
  ) -> (others: [SegmentInfo], lost: [SegmentInfo], edge: LogPoint) {
    let before = segments
    let seeds = Dictionary(before.map { ($0.start.position, $0.file.seed) }) { first, _ in first }
    // Behind what others wrote all is theirs.
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

  /// Whether a packet ends there; of what is not in memory any more that is taken for granted.
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

  /// The oldest packet in memory whose format is remembered: more may have come than are, before the disk was written.
  var knownOldest: LogPoint {
    guard let first = formats.first?.position, first > memoryBegin.position,
      let block = blocks.last(where: { $0.start.position <= first })
    else { return memoryBegin }
    let packet = block.packets(upTo: first)
    guard packet < block.packets(upTo: edge.position) else { return edge }
    return LogPoint(position: first, media: MediaTime(stored: block.entries[packet].start))
  }

  /// Where the next format begins.
  func formatEnd(after position: UInt64) -> UInt64 {
    formats.first { $0.position > position }?.position ?? .max
  }

  /// The marks to be written with the packets of `range`, in order. A segment that starts says again what is in force,
  /// so that it can be understood without the ones before it. Titles from `titlesFrom` on that became known when the
  /// packets they stand at had been written stand here with their own, earlier place.
  func records(
    in range: Range<UInt64>, anchorsAfter revision: UInt64, titlesFrom: UInt64, startsSegment: Bool
  ) -> [SegmentRecord] {
    let current = startsSegment ? air.anchors.last { $0.position <= range.lowerBound } : nil
    let anchors = air.anchors.filter { $0.revision > revision || $0 == current }
    var records = anchors.flatMap { SegmentRecord.records(of: $0) }
    let before = titles.prefix { $0.position < range.lowerBound }
    let late = before.filter { $0.position >= titlesFrom }
    if startsSegment, late.isEmpty, let title = before.last { records.append(.init(title)) }
    let marks =
      (late + titles.filter { range.contains($0.position) }).map { SegmentRecord($0) }
      + gaps.filter { range.contains($0.position) }.map { SegmentRecord.gap($0) }
    return records + marks.sorted { $0.markPosition! < $1.markPosition! }
  }
}
