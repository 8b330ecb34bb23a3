import Wire

/// How a folder's content comes into the lists, and goes: when a log takes its folder, and when files come and go behind
/// its back.
extension LogLists {
  /// The joint at which the memory follows `old`. Media times of its `end` are this log's.
  func joint(
    behind old: LogLists, _ tail: [TailPacket], began start: LogPoint, at now: Moment
  ) -> LogJoint {
    // Reckoned by today's wall clock: the clock may have been another one when the end was written.
    var endAir = old.air.wall(at: old.edge.media)
    if case .exactly(let seconds)? = old.air.away(since: old.edge.media, at: now) {
      endAir = now.wall.adding(seconds: -seconds)
    }
    var next: LogPoint?
    if memoryOldest == start, formats.first?.format == old.formats.last?.format {
      let search = JointSearch(
        tail: tail, arrived: arrived(atMost: JointSearch.arrivedMax), endAir: endAir, air: air,
        now: now)
      next = search.next()
    }
    let point = next ?? memoryOldest
    var gap: GapMark?
    if next == nil, !old.segments.isEmpty {
      let seconds = max(0, air.wall(at: point.media, by: now).seconds(since: endAir))
      gap = GapMark(position: point.position, seconds: seconds, cause: .restart)
    }
    return LogJoint(
      end: LogPoint(position: old.edge.position, media: point.media), next: point, gap: gap)
  }

  /// Adopts the marks of a folder's segments. Segments repeat what is in force at their start, so each mark is taken
  /// once, and none of lost packets.
  mutating func adopt(_ marks: SegmentMarks) {
    let edge = edge.position
    for title in marks.titles where title.position < edge {
      if titles.last.map({ $0.position < title.position }) ?? true { add(title: title) }
    }
    for gap in marks.gaps where gap.position < edge {
      if gaps.last.map({ $0.position < gap.position }) ?? true { add(gap: gap) }
    }
    for origin in marks.origins where origin.position < edge && isNewer(origin) {
      add(origin: origin)
    }
    let boots = Dictionary(marks.boots) { _, later in later }
    for (point, wall) in marks.anchors where point.position < edge {
      air.set(at: point, wall: wall, boot: boots[point.media])
    }
    adopt(
      numbers: marks.numbers, isCut: marks.titles.first?.position != titles.first?.position)
  }

  /// The first packets in memory, up to the first gap.
  private func arrived(atMost count: Int) -> [JointSearch.Packet] {
    let seam = gaps.first { $0.position > memoryOldest.position }?.position ?? .max
    var packets: [JointSearch.Packet] = []
    for block in blocks {
      let rate = sampleRate(at: block.start.position)
      for index in 0..<block.packets(upTo: min(edge.position, seam)) {
        if packets.count == count { return packets }
        let entry = block.entries[index]
        packets.append(
          JointSearch.Packet(
            hash: TailPacket(entry, rate: rate), start: MediaTime(stored: entry.start),
            end: LogPoint(
              position: block.start.position + UInt64(entry.offset + entry.bytes),
              media: MediaTime(stored: entry.end))))
      }
    }
    return packets
  }

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
  mutating func adoptAgain(
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
    adopt(again: found, kept: kept)
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
}
