import Wire

/// A piece of a log as a file: whole packets of one format, after the headers that a decoder needs.
///
/// Its bytes depend only on the log and the clip's two ends, so a clip, any part of it and a recording of the same span
/// agree. In Ogg it is a logical stream of its own, which begins at zero.
public struct Clip: Hashable, Sendable {
  public let start: LogPoint
  /// The point just past the last packet. A reader that follows a clip still growing moves it, within the same format.
  public var end: LogPoint
  public let format: AudioFormat
  /// The header pages; empty if the packets need none.
  public let head: [UInt8]
  /// The hash of the first packet, see `packetHash`.
  public let firstHash: UInt32
  /// Renumbers the Ogg pages; has begun with the first packet already.
  let link: OggRelink?

  /// The size of head and packets, in bytes.
  public var byteCount: Int { head.count + Int(end.position - start.position) }

  public var seconds: Double { (end.media - start.media).seconds }
}

/// The result of cutting a clip.
public enum ClipAnswer {
  case clip(Clip)
  /// Part of the clip is being fetched from the disk: ask again next turn.
  case loading
  /// No packet begins in the span.
  case nothing
}

extension LogReader {
  /// Cuts the packets that begin in [`from`, `to`) by air time, as far as they are in the log and belong together.
  ///
  /// The clip ends before a change of format, and before a stretch that cannot be read.
  public func clip(from: WallTime, to: WallTime) -> ClipAnswer {
    guard !isEdgeLoading, let start = firstPoint(atOrAfter: from),
      let end = firstPoint(atOrAfter: to)
    else { return .loading }
    return clip(from: start, to: end)
  }

  /// Cuts the packets between two packet boundaries.
  ///
  /// - Parameter comments: the comments of the Ogg headers; nil: the title at the start.
  public func clip(
    from start: LogPoint, to end: LogPoint, comments: VorbisComments? = nil
  ) -> ClipAnswer {
    guard start.position < end.position else { return .nothing }
    guard let start = whole(from: start, to: end) else { return .loading }
    guard start.position < end.position, let format = self.format(at: start.position) else {
      return .nothing
    }
    guard let end = seam(from: start, to: end), let first = bounds(at: start.position),
      let packet = copy(from: first.start.position, to: first.end)
    else { return .loading }
    guard first.start.position == start.position, !packet.isEmpty, start.position < end.position
    else { return .nothing }
    var (head, link): ([UInt8], OggRelink?) = ([], nil)
    if format.codec.isOgg {
      guard let made = oggStart(at: start, packet, comments, format) else { return .nothing }
      (head, link) = made
    }
    return .clip(
      Clip(
        start: start, end: end, format: format, head: head, firstHash: packetHash(packet.span),
        link: link))
  }

  /// The first packet that begins at `wall` or later; the oldest packet or the edge if none lies between. Nil while
  /// loading.
  public func firstPoint(atOrAfter wall: WallTime) -> LogPoint? {
    guard let media = media(onAirAt: wall) else { return oldest }
    return firstPoint(atOrAfter: media)
  }

  /// `start`, or the next point at which audio can be read. Nil while loading.
  private func whole(from start: LogPoint, to end: LogPoint) -> LogPoint? {
    var start = start
    while start.position < end.position {
      guard let packet = bounds(at: start.position) else { return nil }
      if packet.start.position > start.position {
        start = packet.start
        continue
      }
      guard let bytes = copy(from: packet.start.position, to: packet.end) else { return nil }
      if !bytes.isEmpty { return start }
      guard case .hole(let next) = readByte(at: start.position), next.position > start.position
      else { return start }
      start = next
    }
    return start
  }

  private func readByte(at position: UInt64) -> LogAnswer {
    withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { byte in
      read(at: position, upTo: position + 1, limit: 1, scratch: byte)
    }
  }

  /// The end of the audio from `start` on: `end`, or a change of format or a hole before it. Nil while loading.
  private func seam(from start: LogPoint, to end: LogPoint) -> LogPoint? {
    var end = end
    if let hole = lists.hole(after: start.position), hole.position < end.position { end = hole }
    let change = nextFormatPosition(after: start.position)
    if change >= end.position { return end }
    return bounds(at: change)?.start
  }

  private func oggStart(
    at start: LogPoint, _ first: [UInt8], _ comments: VorbisComments?, _ format: AudioFormat
  ) -> (head: [UInt8], link: OggRelink)? {
    guard var headers = oggHeaders(at: start.position)?.headers,
      let length = length(ofPacketAt: start.position)
    else { return nil }
    headers.comments = comments ?? headers.comments
    // Clips that follow each other form a chain, whose links need different numbers (RFC 3533 §4).
    let serial = OggRelink.serial(UInt32(truncatingIfNeeded: start.position))
    var link = OggRelink(serial: serial)
    let heard = length.samples(rate: format.sampleRate)
    let preparation = headers.preparation(of: first.span, heard: heard)
    link.begin(with: first.span, samples: preparation?.granules ?? heard)
    return (headers.pages(serial: serial, preSkip: preparation?.front), link)
  }

  // MARK: Reading

  /// The size of the buffer for reading a clip, in bytes: a whole packet and one byte.
  public static let clipScratchBytes = LogConfiguration.packetBytesMax + 1

  /// Reads at most `limit` bytes of a clip from `offset` on. Empty if `limit` is 0 or the clip has ended.
  ///
  /// The bytes are contiguous, and valid until `refresh()` or until `scratch` is used again.
  ///
  /// - Parameter scratch: a buffer of at least `clipScratchBytes`.
  public func read(
    _ clip: Clip, at offset: Int, limit: Int, scratch: UnsafeMutableRawBufferPointer
  ) -> LogAnswer {
    if offset < clip.head.count {
      let part = clip.head[offset...].prefix(min(limit, scratch.count))
      part.withUnsafeBytes { scratch.copyMemory(from: $0) }
      return .bytes(UnsafeRawBufferPointer(rebasing: scratch[..<part.count]))
    }
    let position = clip.start.position + UInt64(offset - clip.head.count)
    if position >= clip.end.position { return .bytes(UnsafeRawBufferPointer(start: nil, count: 0)) }
    guard let link = clip.link else {
      return readWhole(clip, at: position, limit: limit, scratch: scratch)
    }
    return readPage(link, holding: position, limit: limit, scratch: scratch)
  }

  /// Reads bytes. If the disk gives less than requested, leaves out a packet whose rest may be missing.
  private func readWhole(
    _ clip: Clip, at position: UInt64, limit: Int, scratch: UnsafeMutableRawBufferPointer
  ) -> LogAnswer {
    let answer = read(at: position, upTo: clip.end.position, limit: limit, scratch: scratch)
    guard case .bytes(let bytes) = answer, !bytes.isEmpty else { return answer }
    let stop = position + UInt64(bytes.count)
    guard bytes.count < limit, stop < clip.end.position, let last = bounds(at: stop),
      last.start.position < stop
    else { return answer }
    let count = Int(last.start.position - min(last.start.position, position))
    // A packet sent in part needs its end, if that can be read.
    if count == 0 { return rest(of: last.end, from: position, bytes) }
    return .bytes(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
  }

  /// Reads the rest of a packet's pages from `position` on.
  private func readPage(
    _ link: OggRelink, holding position: UInt64, limit: Int,
    scratch: UnsafeMutableRawBufferPointer
  ) -> LogAnswer {
    if position >= edge.position { return .liveEdge }
    if position < oldest.position { return .overrun(oldest: oldest) }
    guard let page = bounds(at: position) else { return .loading }
    if page.start.position > position { return .hole(next: page.start) }
    let count = Int(page.end - page.start.position)
    let answer = read(
      at: page.start.position, upTo: page.end, limit: count, scratch: scratch)
    guard case .bytes(let bytes) = answer else { return answer }
    guard bytes.count == count else { return rest(of: page.end, from: page.start.position, bytes) }
    if bytes.baseAddress != UnsafeRawPointer(scratch.baseAddress) {
      scratch.copyMemory(from: bytes)
    }
    // A clip is one stream: it goes on where the upstream's links did not.
    link.move(
      pages: UnsafeMutableRawBufferPointer(rebasing: scratch[..<count]), isEnd: false)
    let from = Int(position - page.start.position)
    return .bytes(UnsafeRawBufferPointer(rebasing: scratch[from..<min(count, from + limit)]))
  }

  /// Fetches the rest of a packet that was read in part. Answers a hole if there is none.
  private func rest(
    of end: UInt64, from start: UInt64, _ part: UnsafeRawBufferPointer
  ) -> LogAnswer {
    if case .hole(let next) = readByte(at: start + UInt64(part.count)) { return .hole(next: next) }
    return .loading
  }
}
