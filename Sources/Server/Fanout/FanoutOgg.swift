// Hot: `collectPages` runs once per turn of a listener of a station in Ogg. It copies 27 bytes of a page and no audio.

import Timeshift
import Wire

// Every listener of a station in Ogg has a logical stream of its own, which begins at zero; only heads of pages differ.
extension Fanout {
  /// Begins a newcomer's stream with the answer's head and, in Ogg, the headers of the link it begins in.
  func begin(_ listener: inout Listener, with head: [UInt8], in shard: MountShard) {
    addRest(head, of: &listener)
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
    let mayBeKnown = position == listener.link || listener.flags.contains(.wentBack)
    listener.link = position
    if format.codec.isOgg { startLink(&listener, mayBeKnown ? freshSerial() : nil, in: shard) }
    return nil
  }

  /// Begins a new logical stream at the listener's cursor, behind header pages with the title there.
  ///
  /// `serial`: serial number of the new stream; nil for the log's own, or a fresh one if the listener has the log's
  /// already. When a damaged segment comes back, one link of the log may be two.
  func startLink(_ listener: inout Listener, _ serial: UInt32? = nil, in shard: MountShard) {
    let reader = shard.reader
    if listener.flags.contains(.chainsTitles) {
      listener.titleSent = reader.titlePosition(at: listener.cursor)
    }
    guard let start = shard.starts.start(at: listener.cursor, in: reader) else { return }
    let mayBeKnown = relinks[listener.slot]?.source == start.serial
    let serial = serial ?? (mayBeKnown ? freshSerial() : nil)
    relinks[listener.slot] = OggRelink(serial: serial ?? start.serial, from: start.serial)
    let pages = serial.map { start.headers.pages(serial: $0) } ?? start.pages
    addAudio(pages, to: &listener, in: shard)
  }

  func freshSerial() -> UInt32 {
    serialCount &+= 1
    return OggRelink.serial(serialCount)
  }

  /// Collects pages with their heads moved, each whole: a packet of the log is one page.
  func collectPages(
    _ reached: inout Reached, to end: UInt64, of slot: UInt32, in shard: MountShard
  ) -> Stop {
    guard var link = relinks[slot] else { return collect(&reached, to: end, in: shard) }
    defer { relinks[slot] = link }
    let reader = shard.reader
    while reached.cursor < end {
      // Looks one byte in, so that the end is this packet's and not the boundary itself.
      guard let after = reader.packetEnd(after: reached.cursor + 1) else { return .loading }
      let count = Int(after - reached.cursor)
      let scratch = gather.freeScratch
      guard !scratch.isEmpty, gather.takes(audioBytes: min(count, scratch.count)) else {
        return .complete
      }
      let answer = reader.read(
        at: reached.cursor, upTo: after, limit: min(count, scratch.count), scratch: scratch)
      switch answer {
      case .bytes(let page) where page.count == count:
        guard move(page, into: scratch, &link, at: reached.cursor, in: reader) else {
          return .loading
        }
        add(page, headIn: scratch, to: &reached, in: shard)
      // There is no room for the page in this turn. A hole may be longer than any room, and is stepped over all the
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

  /// Has the rest of a page fetched that is there in part, or finds that there is none.
  private func rest(of end: UInt64, from position: UInt64, in reader: LogReader) -> Stop {
    let scratch = gather.freeScratch
    if case .hole(let next) = reader.read(
      at: position, upTo: end, limit: scratch.count, scratch: scratch)
    {
      return .hole(next)
    }
    return .loading
  }

  /// Puts the page's head, moved, at the beginning of `scratch`; the page may stand there itself.
  ///
  /// - Returns: false while the length of a stream's first page is being fetched.
  private func move(
    _ page: UnsafeRawBufferPointer, into scratch: UnsafeMutableRawBufferPointer,
    _ link: inout OggRelink, at position: UInt64, in reader: LogReader
  ) -> Bool {
    var samples = 0
    if !link.isPlaced {
      guard let found = self.samples(of: position, in: reader) else { return false }
      samples = found
    }
    let head = UnsafeMutableRawBufferPointer(rebasing: scratch[..<OggRelink.headBytes])
    if page.baseAddress != UnsafeRawPointer(scratch.baseAddress) {
      head.copyMemory(from: UnsafeRawBufferPointer(rebasing: page[..<OggRelink.headBytes]))
    }
    var span = head.bindMemory(to: UInt8.self).mutableSpan
    link.move(&span, of: page.count) { samples }
    return true
  }

  /// Sample rate of Opus and of most other streams, in Hz.
  private static let rateUsual = 48_000

  /// Returns the length of a packet in samples; nil while it is being fetched.
  private func samples(of position: UInt64, in reader: LogReader) -> Int? {
    let rate = reader.format(at: position)?.sampleRate ?? Self.rateUsual
    return reader.length(ofPacketAt: position)?.samples(rate: rate)
  }

  private func add(
    _ page: UnsafeRawBufferPointer, headIn scratch: UnsafeMutableRawBufferPointer,
    to reached: inout Reached, in shard: MountShard
  ) {
    if page.baseAddress == UnsafeRawPointer(scratch.baseAddress) {
      return add(page[...], to: &reached, in: shard)
    }
    add(UnsafeRawBufferPointer(scratch)[..<OggRelink.headBytes], to: &reached, in: shard)
    add(page[OggRelink.headBytes...], to: &reached, in: shard)
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
