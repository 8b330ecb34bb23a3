/// Extracts the audio of an Ogg stream: the headers of each link, and newly made pages with whole packets.
///
/// One demuxer follows one connection. Of parallel streams the first with a supported codec counts; a chain's next link
/// replaces it. Pages with a wrong checksum are passed over, and packets with a missing page are left out. The new
/// pages have no place in a stream yet: `OggPage.stamp` gives them one.
public struct OggDemuxer: Sendable {
  public enum Item: Hashable, Sendable {
    /// The headers with which a link begins.
    case headers(OggHeaders)
    /// One page, or the pages of one long packet; its range is in the bytes made.
    case packet(PacketScanner.Packet)
    /// A packet that is too long for a log, by bytes or by time: it is left out.
    case lost(samples: Int, format: AudioFormat)
  }

  private struct Link {
    var assembler = OggAssembler()
    var timer: OggTimer
    var packer: OggPacker
    var trimmer: OggTrimmer
    /// Whether it has brought a packet.
    var hasPlayed = false
  }

  private enum State {
    case searching
    case collecting(OggHeaderCollector, OggAssembler)
    case playing(Link)
  }

  private var state = State.searching
  private var serial: UInt32 = 0
  private var toil = OggToil()
  /// Whether a link has been played.
  private var hasPlayedLink = false

  /// Bytes since the last audio, or since the start; header pages do not count.
  public private(set) var bytesWithoutSync = 0
  /// Bytes that are no page: damaged pages, and garbage between pages.
  public private(set) var bytesSkipped = 0

  /// The page that `next` read last; nil if the bytes were no page.
  public private(set) var page: OggPage?

  /// Bytes whose checksum was computed in vain, because it was wrong.
  public var bytesInVain: Int { toil.bytesInVain }

  public init() {}

  /// Reads a page at `from`, or bytes that are no page.
  ///
  /// - Parameters:
  ///   - bytes: The stream as far as it has arrived; at most 65,307 bytes are needed from `from` on.
  ///   - atEnd: Whether nothing follows these bytes.
  ///   - made: The bytes to which pages of audio are appended.
  /// - Returns: The items found, and where the bytes read end. Nil if more bytes are needed, or with `atEnd` if there
  ///   are no more.
  public mutating func next(
    in bytes: Span<UInt8>, from: Int, atEnd: Bool = false, into made: inout [UInt8]
  ) -> (end: Int, items: [Item])? {
    guard from < bytes.count else { return nil }
    let reading = toil.isTooMuch ? .none : OggPage.read(in: bytes, at: from)
    switch reading {
    case .needMore where !atEnd: return nil
    case .page(let page):
      self.page = page
      toil.passed(page.range.count)
      let items = add(page, in: bytes, into: &made)
      // Comments with pictures are long, so header pages do not count; the collector has bounds of its own.
      if !isCollecting(page.serial), !isInPacket(page.serial) {
        bytesWithoutSync += page.range.count
      }
      if hasSync(items) { bytesWithoutSync = 0 }
      return (page.range.upperBound, items)
    case .none, .needMore, .damaged:
      page = nil
      if case .damaged(let count) = reading { toil.failed(count) }
      let next = (from + 1..<bytes.count).first { bytes[$0] == UInt8(ascii: "O") } ?? bytes.count
      toil.passed(next - from)
      bytesWithoutSync += next - from
      bytesSkipped += next - from
      return (next, [])
    }
  }

  private func isCollecting(_ serial: UInt32) -> Bool {
    if case .collecting = state { return serial == self.serial }
    return false
  }

  /// Whether a packet of audio that may still be short enough goes on in the next page.
  private func isInPacket(_ serial: UInt32) -> Bool {
    guard case .playing(let link) = state, serial == self.serial else { return false }
    return 1...OggPacker.packetBytesMax ~= link.assembler.partialBytes
  }

  /// Whether `items` show that this is audio. Lost packets show it only behind one that was not.
  private func hasSync(_ items: [Item]) -> Bool {
    guard case .playing(let link) = state else { return !items.isEmpty }
    return items.contains { item in
      if case .lost = item { link.hasPlayed } else { true }
    }
  }

  private mutating func add(
    _ page: OggPage, in bytes: Span<UInt8>, into made: inout [UInt8]
  ) -> [Item] {
    if page.flags.contains(.first) { begin(page, in: bytes) }
    guard page.serial == serial else { return [] }
    let current = state
    state = .searching  // so that nothing is copied on write
    switch consume current {
    case .searching: return []
    case .collecting(let collector, let assembler):
      return collect(page, in: bytes, collector, assembler)
    case .playing(let link): return play(page, in: bytes, link, into: &made)
    }
  }

  /// Begins a logical stream: the next link of a chain, or a stream parallel to others.
  private mutating func begin(_ page: OggPage, in bytes: Span<UInt8>) {
    if case .collecting(let collector, _) = state, collector.isNew { return }
    state = .searching
    var assembler = OggAssembler()
    guard let packet = assembler.packets(of: page, in: bytes).first,
      let collector = OggHeaderCollector(identification: packet)
    else { return }
    serial = page.serial
    state = .collecting(collector, assembler)
  }

  private mutating func collect(
    _ page: OggPage, in bytes: Span<UInt8>, _ collector: consuming OggHeaderCollector,
    _ assembler: consuming OggAssembler
  ) -> [Item] {
    guard collector.admits(page.range.count) else { return [] }
    let packets = page.flags.contains(.first) ? [] : assembler.packets(of: page, in: bytes)
    for packet in packets {
      switch collector.add(packet) {
      case .needMore: continue
      case .invalid: return []
      case .complete(let headers):
        // Audio begins with a page of its own.
        state = .playing(
          Link(
            assembler: assembler, timer: headers.timer, packer: OggPacker(headers.format),
            trimmer: OggTrimmer(preSkip: headers.preSkip, isChained: hasPlayedLink)))
        hasPlayedLink = true
        return [.headers(headers)]
      }
    }
    state = .collecting(collector, assembler)
    return []
  }

  private mutating func play(
    _ page: OggPage, in bytes: Span<UInt8>, _ link: consuming Link, into made: inout [UInt8]
  ) -> [Item] {
    var items: [Item] = []
    var first: Int?
    for packet in link.assembler.packets(of: page, in: bytes) {
      guard let length = link.timer.length(of: packet.span) else { continue }
      first = first ?? length.samples
      if link.packer.add(packet, length, to: &made, &items) {
        link.hasPlayed = true
      } else {
        link.packer.flush(to: &made, &items)
        if !link.hasPlayed { bytesWithoutSync += packet.count }
        items.append(.lost(samples: length.samples, format: link.packer.format))
      }
    }
    link.packer.flush(to: &made, &items)
    let silent = link.packer.format.codec == .vorbis ? first ?? 0 : 0
    items.trim(link.trimmer.trim(page, samples: items.samples, first: silent))
    state = .playing(link)
    return items
  }
}
