// Hot: `collectPages` runs once per turn of a listener of a station in Ogg. It copies 27 bytes of a page and no audio.

import Timeshift
import Wire

// Every listener of a station in Ogg has a logical stream of its own, which begins at zero; only heads of pages differ.
extension Fanout {
  /// Begins a newcomer's stream with the answer's head and, in Ogg, the headers of the link it begins in.
  func begin(_ listener: inout Listener, with head: [UInt8], in shard: MountShard) {
    addRest(head, of: &listener)
    widenSocket(of: listener, in: shard)
    listener.link = shard.reader.formatPosition(at: listener.cursor)
    if listener.codec.isOgg { startLink(&listener, in: shard) }
  }

  /// Handles a listener where a stream begins, or where a title begins that the listener is told by new headers.
  ///
  /// - Returns: nil when the listener goes on.
  func enterLink(_ listener: inout Listener, in shard: MountShard) -> Outcome? {
    let position = shard.reader.formatPosition(at: listener.cursor)
    guard let format = shard.reader.format(at: listener.cursor) else {
      listener.link = position
      return nil
    }
    // A listener whose decoder cannot go on is ended here, between packets.
    if format.codec != listener.codec {
      guard listener.flags.contains(.hasRest) else { return .ended(.formatChanged) }
      listener.flags.insert(.ending)
      return nil
    }
    // Its decoder goes on where only the title is another.
    let goesOn = position == listener.link
    let mayBeKnown = goesOn || listener.flags.contains(.wentBack)
    listener.link = position
    if format.codec.isOgg {
      startLink(&listener, mayBeKnown ? freshSerial() : nil, goesOn: goesOn, in: shard)
    }
    return nil
  }

  /// Begins a new logical stream at the listener's cursor, behind header pages with the title there.
  ///
  /// `serial`: serial number of the new stream; nil for the log's own, or a fresh one if the listener has the log's
  /// already. When a damaged segment comes back, one link of the log may be two.
  ///
  /// `goesOn`: whether the audio follows what the listener has heard. Then nothing of it is left out, while a decoder of
  /// Opus that begins in the middle needs 80 ms to settle. What an upstream's link leaves out is left out here too.
  func startLink(
    _ listener: inout Listener, _ serial: UInt32? = nil, goesOn: Bool = false,
    in shard: MountShard
  ) {
    let reader = shard.reader
    if listener.flags.contains(.chainsTitles) {
      listener.titleSent = reader.titlePosition(at: listener.cursor)
    }
    guard let start = shard.starts.start(at: listener.cursor, in: reader) else { return }
    let mayBeKnown = sidecars[listener.slot]?.pointee.relink?.source == start.serial
    let serial = serial ?? (mayBeKnown ? freshSerial() : nil)
    let link = OggRelink(serial: serial ?? start.serial, from: start.serial)
    sidecars.change(listener.slot) { $0.relink = link }
    let preSkip =
      preparation(at: listener.cursor, start.headers, in: reader)?.front ?? (goesOn ? 0 : nil)
    let isUsual = serial == nil && preSkip == nil
    let pages =
      isUsual
      ? start.pages : start.headers.pages(serial: serial ?? start.serial, preSkip: preSkip)
    addAudio(pages, to: &listener, in: shard)
  }

  /// Returns what a link of the upstream that begins here leaves out; nil if none begins, or its page is not at hand.
  private func preparation(
    at position: UInt64, _ headers: OggHeaders, in reader: LogReader
  ) -> OggHeaders.Preparation? {
    guard let end = reader.packetEnd(after: position + 1), end > position,
      let samples = samples(of: position, in: reader),
      let packet = reader.copy(from: position, to: end)
    else { return nil }
    return headers.preparation(of: packet.span, heard: samples)
  }

  func freshSerial() -> UInt32 {
    serialCount &+= 1
    return OggRelink.serial(serialCount)
  }

  /// Collects packets of the log, whole, with the heads of their pages moved.
  func collectPages(
    _ reached: inout Reached, to end: UInt64, of slot: UInt32, in shard: MountShard
  ) -> Stop {
    guard let sidecar = sidecars[slot], var link = sidecar.pointee.relink else {
      return collect(&reached, to: end, in: shard)
    }
    defer { sidecar.pointee.relink = link }
    let reader = shard.reader
    while reached.cursor < end {
      // Looks one byte in, so that the end is this packet's and not the boundary itself.
      guard let after = reader.packetEnd(after: reached.cursor + 1) else { return .loading }
      let count = Int(after - reached.cursor)
      let scratch = gather.freeScratch
      // A hole is longer than any packet.
      let most = min(count, scratch.count, Gather.packetBytesMax)
      guard !scratch.isEmpty, gather.hasRoom(audioBytes: most) else { return .complete }
      let answer = reader.read(
        at: reached.cursor, upTo: after, limit: min(count, scratch.count), scratch: scratch)
      switch answer {
      case .bytes(let page) where page.count == count:
        let flags = OggPage.Flags(rawValue: page[OggPage.flagsByte])
        if flags.contains(.begins), link.isPlaced {
          link.end = reached.cursor
          return .complete
        }
        guard begin(&link, with: page, at: reached.cursor, in: shard) else { return .loading }
        // The last of several pages tells.
        let last = page.count / OggPage.bytesMax * OggPage.bytesMax
        let isEnd = OggPage.Flags(rawValue: page[last + OggPage.flagsByte]).contains(.last)
        if page.baseAddress == UnsafeRawPointer(scratch.baseAddress) {
          link.move(
            pages: UnsafeMutableRawBufferPointer(rebasing: scratch[..<count]), isEnd: true)
          add(page[...], to: &reached, in: shard)
        } else {
          add(page, link, headsIn: scratch, to: &reached, in: shard)
        }
        if isEnd {
          link.end = after
          return .complete
        }
      // There is no room for the packet in this turn. A hole may be longer than any room, and is stepped over all the
      // same.
      case .bytes where count > scratch.count: return .complete
      case .bytes(let part):
        return rest(of: after, from: reached.cursor + UInt64(part.count), in: reader)
      case .loading: return .loading
      case .liveEdge: return .complete
      case .hole(let next): return .hole(next)
      case .overrun(let oldest): return .overrun(oldest)
      }
    }
    return .complete
  }

  /// Has the rest of a packet fetched that is there in part, or finds that there is none.
  private func rest(of end: UInt64, from position: UInt64, in reader: LogReader) -> Stop {
    let scratch = gather.freeScratch
    if case .hole(let next) = reader.read(
      at: position, upTo: end, limit: scratch.count, scratch: scratch)
    {
      return .hole(next)
    }
    return .loading
  }

  /// Begins a stream with its first packet; does nothing behind it.
  ///
  /// - Returns: false while the packet's length is being fetched.
  private func begin(
    _ link: inout OggRelink, with packet: UnsafeRawBufferPointer, at position: UInt64,
    in shard: MountShard
  ) -> Bool {
    if link.isPlaced { return true }
    guard var samples = samples(of: position, in: shard.reader) else { return false }
    let pages = packet.bindMemory(to: UInt8.self).span
    if let start = shard.starts.start(at: position, in: shard.reader),
      let found = start.headers.preparation(of: pages, heard: samples)
    {
      samples = found.granules
    }
    link.begin(with: pages, samples: samples)
    return true
  }

  /// Sample rate of Opus and of most other streams, in Hz.
  private static let rateUsual = 48_000

  /// Returns the length of a packet in samples; nil while it is being fetched.
  private func samples(of position: UInt64, in reader: LogReader) -> Int? {
    let rate = reader.format(at: position)?.sampleRate ?? Self.rateUsual
    return reader.length(ofPacketAt: position)?.samples(rate: rate)
  }

  /// Adds the pages of a packet in memory; their heads, moved, stand in a row at the beginning of `scratch`.
  private func add(
    _ packet: UnsafeRawBufferPointer, _ link: OggRelink,
    headsIn scratch: UnsafeMutableRawBufferPointer, to reached: inout Reached,
    in shard: MountShard
  ) {
    var free = scratch[...]
    for page in OggPage.places(in: packet.count) where page.count >= OggRelink.headBytes {
      let head = UnsafeMutableRawBufferPointer(rebasing: free.prefix(OggRelink.headBytes))
      free = free.dropFirst(OggRelink.headBytes)
      let (old, body) = (page.prefix(OggRelink.headBytes), page.dropFirst(OggRelink.headBytes))
      head.copyMemory(from: UnsafeRawBufferPointer(rebasing: packet[old]))
      var span = head.bindMemory(to: UInt8.self).mutableSpan
      link.move(&span, of: page.count, isEnd: true)
      add(UnsafeRawBufferPointer(head)[...], to: &reached, in: shard)
      add(packet[body], to: &reached, in: shard)
    }
  }

  private func add(
    _ audio: Slice<UnsafeRawBufferPointer>, to reached: inout Reached, in shard: MountShard
  ) {
    var rest = audio
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
