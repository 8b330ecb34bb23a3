/// Turns times into places and back, exact to the packet. Nil always means: the index is being fetched, ask again next
/// turn.
extension LogReader {
  /// The last packet boundary at or before `media`, held between the oldest and the edge.
  public func point(atOrBefore media: MediaTime) -> LogPoint? {
    if media >= edge.media { return edge }
    return boundary(atOrBefore: media, isSpan: false)
  }

  /// The last packet boundary at or before `media`, whatever the edge. With `isSpan` an index gives one up to half a
  /// second earlier.
  func boundary(atOrBefore media: MediaTime, isSpan: Bool) -> LogPoint? {
    if media <= oldest.media { return oldest }
    if let view = blocks.view(at: media.stored) {
      return view.point(view.packet(at: media.stored))
    }
    return shelf.point(atOrBefore: media, isSpan: isSpan)
  }

  /// A packet boundary at most half a second (or one packet) before `media`. Cheap, for pacing.
  public func spanPoint(atOrBefore media: MediaTime) -> LogPoint? {
    if media >= edge.media { return edge }
    if media <= oldest.media { return oldest }
    guard media >= memoryOldestMedia else {
      return shelf.point(atOrBefore: media, isSpan: true)
    }
    // In memory, the boundaries next to whole quarters of a second are used.
    let quarter = MediaTime.flicksPerSecond / 4
    let floor = media.stored / quarter * quarter
    if let point = blocks.boundary(atOrAfter: floor), point.media <= media { return point }
    if let point = blocks.boundary(atOrAfter: floor - quarter), point.media <= media {
      return point
    }
    return point(atOrBefore: media)
  }

  /// The start of the segment that holds `media`, or lies before it; needs no index. Nil in front of all segments.
  public func segmentStart(atOrBefore media: MediaTime) -> UInt64? {
    shelf.start(atOrBefore: media)
  }

  public func segmentStart(atOrBefore position: UInt64) -> UInt64? {
    shelf.start(atOrBefore: position)
  }

  /// Whether an upstream is sending its past at once. Until it has, the newest packets' air times are unknown.
  public func isInBurst(at now: MonotonicTime) -> Bool { lists.run?.isGrowing(at: now) ?? false }

  /// Seconds behind now beyond which the edge is the past of a station that has been woken, and nothing new has come.
  public static var pastSeconds: Double { 10 }

  /// Whether the edge was on air so long ago that it is the past, and not what is live.
  public func isPast(by seconds: Double = pastSeconds, at now: WallTime) -> Bool {
    now.seconds(since: air(at: edge.media)) > seconds
  }

  /// The newest packet that was on air at `wall`; in a gap the first one after it. Held between the oldest and the
  /// edge.
  public func point(at wall: WallTime) -> LogPoint? {
    guard let media = media(onAirAt: wall) else { return oldest }
    return point(atOrBefore: media)
  }

  /// The newest media time that was on air at `wall`, as this reader tells it; nil before the first anchor.
  func media(onAirAt wall: WallTime) -> MediaTime? {
    lists.air.media(at: wall - delay)
  }

  /// The media time of the packet that holds the byte at `position`; the edge's time at the edge.
  public func media(at position: UInt64) -> MediaTime? { point(holding: position)?.media }

  /// The seconds of programme from `position` up to `point`, gaps included. Nil where that is not known, or not yet.
  public func seconds(from position: UInt64, to point: LogPoint) -> Double? {
    guard position >= oldest.position, position <= point.position,
      let start = media(at: position)
    else { return nil }
    let gaps = gapMarks(in: position..<point.position + 1).reduce(0) { $0 + $1.seconds }
    return max(0, (point.media - start).seconds) + gaps
  }

  /// The length of the packet that holds the byte at `position`; zero if none does.
  public func length(ofPacketAt position: UInt64) -> MediaTime? {
    if let view = blocks.view(holding: position) {
      return MediaTime(stored: Int64(view.entries[view.packet(holding: position)].duration))
    }
    guard position >= oldest.position, position < edge.position else { return .zero }
    return shelf.length(ofPacketAt: position)
  }

  /// The start of the packet that holds the byte at `position`; a later packet's if none does.
  public func point(holding position: UInt64) -> LogPoint? { bounds(at: position)?.start }

  /// The end of the packet that holds the byte at `position`; `position` itself if that is a boundary.
  public func packetEnd(after position: UInt64) -> UInt64? {
    guard let packet = bounds(at: position) else {
      // A segment's start is a boundary, whether its index is loaded or not.
      return segmentStart(atOrBefore: position) == position ? position : nil
    }
    return packet.start.position == position ? position : packet.end
  }

  /// The packet that holds the byte at `position`. Nil while loading.
  ///
  /// Without such a packet the range is empty: at the edge, at the oldest packet, or in a hole where audio goes on.
  func bounds(at position: UInt64) -> (start: LogPoint, end: UInt64)? {
    if let view = blocks.view(holding: position) {
      let packet = view.packet(holding: position)
      return (view.point(packet), view.point(packet + 1).position)
    }
    if position >= edge.position { return (edge, edge.position) }
    if position < oldest.position { return (oldest, oldest.position) }
    return shelf.bounds(at: position)
  }

  /// The `count` packets in front of `position` (or of the packet that holds it), oldest first.
  ///
  /// Fewer at the oldest packet, and behind a gap, a hole or a change of format.
  public func packets(before position: UInt64, count: Int) -> [[UInt8]]? {
    guard var start = bounds(at: min(position, edge.position))?.start.position else { return nil }
    var packets: [[UInt8]] = []
    while packets.count < count && start > oldest.position {
      if isSeam(start) { break }
      guard let before = bounds(at: start - 1) else { return nil }
      // A hole lies between the packets.
      if before.end != start || before.start.position >= start { break }
      guard let bytes = copy(from: before.start.position, to: start) else { return nil }
      guard !bytes.isEmpty else { break }
      packets.append(bytes)
      start = before.start.position
    }
    return packets.reversed()
  }

  private func isSeam(_ position: UInt64) -> Bool {
    gapMark(at: position) != nil || formatPosition(at: position) == position
  }

  /// The first packet behind the hole around `point`, as far as is known; `point` itself outside of holes.
  public func pastHole(_ point: LogPoint) -> LogPoint {
    if point.position >= edge.position || blocks.view(holding: point.position) != nil {
      return point
    }
    let found = shelf.pastHole(point)
    return found.position < edge.position ? found : edge
  }

  /// The media time of a packet boundary, even if nothing can be read behind it. Nil while unknown.
  public func media(ofBoundary position: UInt64) -> MediaTime? {
    if let media = shelf.media(ofBoundary: position) { return media }
    return point(holding: position).flatMap { $0.position == position ? $0.media : nil }
  }

  /// The end of the segment that holds the byte at `position`; needs no index. Nil for bytes in memory or in no
  /// segment.
  public func segmentEnd(after position: UInt64) -> LogPoint? {
    blocks.view(holding: position) == nil ? shelf.end(after: position) : nil
  }

  /// Copies a range of bytes to an array. Empty if it cannot be read; nil while loading.
  public func copy(from start: UInt64, to end: UInt64) -> [UInt8]? {
    let bytes = Int(end - start)
    var isLoading = false
    let copied = [UInt8](unsafeUninitializedCapacity: bytes) { buffer, count in
      let scratch = UnsafeMutableRawBufferPointer(buffer)
      var filled = 0
      // The disk may give the range in parts.
      while filled < bytes {
        let rest = UnsafeMutableRawBufferPointer(rebasing: scratch[filled..<bytes])
        let place = start + UInt64(filled)
        switch read(at: place, upTo: end, limit: rest.count, scratch: rest) {
        case .bytes(let found) where !found.isEmpty:
          if found.baseAddress != UnsafeRawPointer(rest.baseAddress) {
            rest.copyMemory(from: found)
          }
          filled += found.count
          continue
        case .loading: isLoading = true
        case .bytes, .liveEdge, .hole, .overrun: break
        }
        return
      }
      count = bytes
    }
    return isLoading ? nil : copied
  }
}
