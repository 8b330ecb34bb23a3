import Wire

/// What the lists tell of a place in the log, without a disk.
extension LogLists {
  /// The approximate position of `media`, found without an index.
  func position(near media: MediaTime) -> UInt64 {
    var (start, end) = (memoryBegin, edge)
    if let segment = segments.last(where: { $0.start.media <= media }) ?? segments.first,
      media < segment.end.media
    {
      (start, end) = (segment.start, segment.end)
    } else if let active, media < active.end.media {
      (start, end) = (active.start, active.end)
    }
    guard start.media < media, media < end.media else {
      return media <= start.media ? start.position : end.position
    }
    let share = (media - start.media).seconds / (end.media - start.media).seconds
    return start.position + UInt64(bounded: share * Double(end.position - start.position))
  }

  /// The media time of the packet at `position`, found without an index: exact where a run or a segment begins, else an
  /// estimate.
  func media(near position: UInt64) -> MediaTime {
    if let anchor = air.anchors.last(where: { $0.position == position }) { return anchor.media }
    var (start, end) = (memoryBegin, edge)
    if let segment = segments.last(where: { $0.start.position <= position }),
      position < segment.end.position
    {
      (start, end) = (segment.start, segment.end)
    } else if let active, active.start.position <= position, position < active.end.position {
      (start, end) = (active.start, active.end)
    }
    guard start.position < position, position < end.position else {
      return position <= start.position ? start.media : end.media
    }
    let share = Double(position - start.position) / Double(end.position - start.position)
    return start.media + MediaTime(seconds: (end.media - start.media).seconds * share)
  }

  /// The point at which readable packets from `position` on end: before a hole or known damage. Nil if they do not end.
  func hole(after position: UInt64) -> LogPoint? {
    var end: LogPoint?
    for segment in segments + [active].compactMap(\.self) where segment.end.position > position {
      if let end, segment.start.position > end.position { return end }
      if let damaged = segment.file.damage(from: position) { return damaged }
      end = segment.end
    }
    guard let end, memoryBegin.position > end.position else { return nil }
    return end
  }

  /// Whether a packet ends at `point`; assumed for points that are no longer in memory.
  func isInLog(_ point: LogPoint) -> Bool {
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

  func sampleRate(at position: UInt64) -> Int {
    formats.last { $0.position <= position }?.format.sampleRate ?? 1
  }

  /// The titles from the one in force at the oldest packet on.
  var titlesKept: ArraySlice<TitleMark> {
    titles[(titles.lastIndex { $0.position <= oldest.position } ?? 0)...]
  }

  func aired(_ mark: TitleMark) -> TitleMark {
    var mark = mark
    mark.air = air.wall(at: mark.media)
    return mark
  }

  /// Where the packet at `position` stands in another relay's log, and the bytes since the mark that says so.
  func origin(at position: UInt64) -> (place: RelayPlace, bytes: UInt64)? {
    guard let mark = origins.last(where: { $0.position <= position }) else { return nil }
    let bytes = position - mark.position
    return mark.place?.advanced(by: bytes).map { ($0, bytes) }
  }
}
