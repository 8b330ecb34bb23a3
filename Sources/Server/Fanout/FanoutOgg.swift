import Timeshift
import Wire

// What happens to one listener in thousands, of stations in Ogg: its stream goes on in another logical stream.
extension Fanout {
  /// A newcomer gets the headers of the link it begins in. Then everybody gets the same pages.
  func begin(_ listener: inout Listener, with head: [UInt8], in shard: MountShard) {
    addRest(head, of: &listener)
    listener.link = shard.reader.formatPosition(at: listener.cursor)
    if listener.flags.contains(.chainsTitles) {
      listener.titleSent = shard.reader.titlePosition(at: listener.cursor)
    }
    addAudio(shard.starts.pages(at: listener.cursor, in: shard.reader), to: &listener, in: shard)
  }

  /// The listener stands where a stream begins, or its title does and it is told so by new headers.
  ///
  /// - Returns: nil: it goes on.
  func enterLink(_ listener: inout Listener, in shard: MountShard) -> Outcome? {
    let reader = shard.reader
    let position = reader.formatPosition(at: listener.cursor)
    guard let format = reader.format(at: listener.cursor) else {
      listener.link = position
      return nil
    }
    // Here is where a listener whose decoder cannot go on is ended, between packets.
    if format.codec != listener.codec {
      guard listener.flags.contains(.hasRest) else { return .ended(.formatChanged) }
      listener.flags.insert(.ending)
      return nil
    }
    if position == listener.link { return relink(&listener, in: shard) ? nil : .idle }
    listener.link = position
    listener.flags.remove(.relinked)
    relinks[listener.slot] = nil
    if listener.flags.contains(.chainsTitles) {
      listener.titleSent = reader.titlePosition(at: listener.cursor)
    }
    addAudio(shard.starts.pages(at: listener.cursor, in: reader), to: &listener, in: shard)
    return nil
  }

  /// A new link for this listener only. False: the index is being fetched.
  private func relink(_ listener: inout Listener, in shard: MountShard) -> Bool {
    guard let media = shard.reader.media(at: listener.cursor) else { return false }
    let here = LogPoint(position: listener.cursor, media: media)
    if listener.flags.contains(.chainsTitles) {
      listener.titleSent = shard.reader.titlePosition(at: listener.cursor)
    }
    addAudio(link(to: here, of: &listener, in: shard), to: &listener, in: shard)
    return true
  }

  /// Lets the listener's pages from `point` on be a logical stream of their own; returns its header pages.
  func link(to point: LogPoint, of listener: inout Listener, in shard: MountShard) -> [UInt8] {
    let reader = shard.reader
    guard let (headers, _) = OggStarts.headers(at: point.position, in: reader) else { return [] }
    relinkCount &+= 1
    let relink: OggRelink
    if let page = packet(at: point.position, in: reader),
      let end = reader.media(at: point.position + UInt64(page.count))
    {
      let rate = Double(headers.format.sampleRate)
      let samples = Int(((end - point.media).seconds * rate).rounded())
      relink = OggRelink(number: relinkCount, first: page.span, samples: samples)
    } else {
      relink = OggRelink(number: relinkCount, first: nil, samples: 0)
    }
    relinks[listener.slot] = relink
    listener.flags.insert(.relinked)
    return relink.pages(headers)
  }

  /// Pages are copied and moved to the listener's own stream, each whole: a packet of the log is one page.
  func collect(
    _ reached: inout Reached, to end: UInt64, through link: OggRelink, in shard: MountShard
  ) -> Stop {
    let reader = shard.reader
    while reached.cursor < end {
      // One byte in, so that the end is this packet's and not the boundary itself.
      guard let after = reader.packetEnd(after: reached.cursor + 1) else { return .loading }
      let count = Int(after - reached.cursor)
      let scratch = gather.freeScratch
      guard count <= scratch.count, gather.takes(audioBytes: count) else { return .complete }
      let place = UnsafeMutableRawBufferPointer(rebasing: scratch[..<count])
      switch reader.read(at: reached.cursor, upTo: after, limit: count, scratch: place) {
      case .bytes(let page) where page.count == count:
        if page.baseAddress != UnsafeRawPointer(place.baseAddress) { place.copyMemory(from: page) }
      case .bytes, .loading: return .loading
      case .liveEdge: return .complete
      case .hole(let next): return .hole(next)
      case .overrun(let oldest): return .overrun(oldest)
      }
      var page = place.bindMemory(to: UInt8.self).mutableSpan
      link.restamp(&page)
      add(UnsafeRawBufferPointer(place), to: &reached, in: shard)
    }
    return .complete
  }

  private func add(
    _ audio: UnsafeRawBufferPointer, to reached: inout Reached, in shard: MountShard
  ) {
    var rest = audio[...]
    while !rest.isEmpty {
      if reached.icy.untilBlock == 0 { addBlock(&reached, in: shard) }
      let part = rest.prefix(reached.icy.untilBlock)
      gather.add(.audio, UnsafeRawBufferPointer(rebasing: part))
      reached.cursor += UInt64(part.count)
      reached.icy.sent(audio: part.count)
      rest = rest.dropFirst(part.count)
    }
  }
}
