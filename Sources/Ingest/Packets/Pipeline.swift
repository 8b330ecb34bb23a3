import Wire

/// Turns one connection's body from bytes into packets and titles.
///
/// The audio is copied once, into one buffer without its ICY blocks; bytes that the scanner has passed are dropped at
/// the next feed. The buffer holds the piece fed and the packet not yet whole, at most `bytesMax`. For Ogg the packets
/// are pages made anew, in a second buffer.
struct Pipeline {
  /// After this many bytes without sync a body is no known audio.
  static let bytesWithoutSyncMax = 64 * 1024
  // The scanner steps over tags of 16 MiB and comments with pictures. After this many bytes without a packet the body
  // is nothing else.
  static let bytesWithoutPacketMax = 40 << 20
  // The scanner needs up to 16 KiB to make progress, Ogg a page of 64 KiB; a piece from curl has up to 16 KiB.
  static let bytesMax = 256 * 1024

  // Two of the longest frames of LOAS in use.
  private static let beginningMax = 4096

  /// This many blocks in a row that are no text may be audio, if the audio around them is broken as well.
  private static let garbledMax = 2

  // A body announced as Ogg may begin with a stray text, or in the middle of a page.
  private static let bytesBeforeOggMax = 8 * 1024
  private static let oggCapture = Array("OggS".utf8)

  private(set) var packets = 0
  /// The place of the body's first packet in the log of an upstream that is a relay; nil if not known.
  private let place: RelayPlace?
  /// The bytes of all packets.
  private var bytesFound: UInt64 = 0
  /// The number of title blocks and comments read.
  private var texts = 0
  private var bytesSincePacket = 0
  /// Bytes that were neither audio nor part of it, such as damaged frames and pages.
  private(set) var bytesSkipped: UInt64 = 0
  private var raw: [UInt8] = []
  /// The body's first bytes, which name what it is if it is no known audio.
  private(set) var beginning: [UInt8] = []
  /// The offset in `raw` before which no Ogg page begins.
  private var soughtForOgg = 0
  private var made: [UInt8] = []
  private var scanned = 0
  private var deinterleaver: ICYDeinterleaver?
  private var content = Content.unknown
  private let hint: Codec?
  private let isForced: Bool
  private var titles: InBandTitles
  private var hasReadBlocks = false
  /// Reads the body as if it had no blocks, until a block is read or it is clear which reading is right.
  private var withoutBlocks: BlocklessReading?
  /// `bytesSkipped` when a block was last in its place.
  private var skippedInStep: UInt64 = 0
  /// The number of blocks in a row that were no text.
  private var garbled = 0
  /// Looks for title blocks that were not announced; nil while announced ones are read.
  private var undeclared: UndeclaredBlocks?
  /// The metaint of title blocks that were found without an announcement.
  private(set) var metaintFound: Int?

  /// Makes a pipeline. `isForced`: the hint is certain. `seeksBlocks`: blocks without an announced metaint are looked
  /// for. `place`: of the first packet, as a relay announced it.
  init(
    metaint: Int?, hint: Codec?, isForced: Bool = false, titles: TitleReader,
    seeksBlocks: Bool = true, place: RelayPlace? = nil
  ) {
    deinterleaver = metaint.map { ICYDeinterleaver(metaint: $0) }
    withoutBlocks = metaint.map { _ in
      BlocklessReading(hint: hint, isForced: isForced, titles: titles)
    }
    undeclared =
      seeksBlocks ? UndeclaredBlocks(hint: hint, isForced: isForced, titles: titles) : nil
    self.hint = hint
    self.isForced = isForced
    self.place = place
    self.titles = InBandTitles(titles)
  }

  private enum Content {
    case unknown
    case frames(PacketScanner)
    case ogg(OggDemuxer)
  }

  /// Whether nothing in the body is known audio.
  var isBad: Bool {
    if bytesSincePacket > Self.bytesWithoutPacketMax { return true }
    return switch content {
    case .unknown: false
    case .frames(let scanner): scanner.bytesWithoutSync >= Self.bytesWithoutSyncMax
    case .ogg(let demuxer): demuxer.bytesWithoutSync >= Self.bytesWithoutSyncMax
    }
  }

  /// Whether the body is Ogg pages.
  var isOgg: Bool {
    if case .ogg = content { true } else { false }
  }

  /// The amount of body without audio, as text for people.
  var barrenBytes: String {
    bytesSincePacket > Self.bytesWithoutPacketMax ? "40 MiB" : "64 KiB"
  }

  /// Whether the upstream has lost count of its metaint: titles and audio stay mixed until it is asked anew.
  ///
  /// Blocks of garbage in their right places are another matter: between them the audio is whole.
  var isOutOfStep: Bool {
    hasReadBlocks && garbled >= Self.garbledMax && bytesSkipped > skippedInStep
  }

  /// Reads a piece of the body; returns the items that are now whole.
  mutating func feed(_ piece: Span<UInt8>) -> Arrivals {
    bytesSincePacket += piece.count
    let (found, texts) = (bytesFound, texts)
    if packets == 0, beginning.count < Self.beginningMax { remember(piece) }
    compact()
    deinterleave(piece)
    var arrivals = scan(atEnd: false, behind: found)
    if deinterleaver == nil { seekBlocks(piece) } else { compareReadings(piece) }
    arrivals.besides =
      piece.count + (self.texts - texts) * BesidesBrake.textBytes - Int(bytesFound - found)
    return arrivals
  }

  private mutating func remember(_ piece: Span<UInt8>) {
    let count = min(piece.count, Self.beginningMax - beginning.count)
    piece.extracting(0..<count).withUnsafeBufferPointer { beginning += $0 }
  }

  private mutating func seekBlocks(_ piece: Span<UInt8>) {
    guard let found = undeclared?.feed(piece, packets: packets, skipped: bytesSkipped) else {
      return
    }
    undeclared = nil
    (deinterleaver, metaintFound) = (found.deinterleaver, found.metaint)
    if let block = found.newestBlock { receive(block) }
  }

  private mutating func compareReadings(_ piece: Span<UInt8>) {
    guard let reading = withoutBlocks else { return }
    if hasReadBlocks { return withoutBlocks = nil }
    switch reading.feed(piece, packets: packets, skipped: bytesSkipped) {
    case .open: return
    case .blocks: break
    case .noBlocks: deinterleaver = nil
    }
    withoutBlocks = nil
    if deinterleaver != nil { undeclared = nil }
  }

  /// Ends the body: the last bytes need fewer agreeing headers.
  mutating func finish() -> Arrivals {
    compact()
    return scan(atEnd: true, behind: bytesFound)
  }

  private mutating func compact() {
    if raw.count - scanned > Self.bytesMax { scanned = raw.count - Self.bytesMax / 2 }
    raw.removeFirst(scanned)
    made.removeAll(keepingCapacity: true)
    titles.dropped(scanned)
    scanned = 0
  }

  private mutating func deinterleave(_ piece: Span<UInt8>) {
    var from = 0
    while from < piece.count {
      guard let next = deinterleaver?.next(in: piece, from: from) else {
        return append(piece, from..<piece.count)
      }
      from = next.end
      switch next.piece {
      case .audio(let range): append(piece, range)
      case .block(let block): receive(block)
      case nil: return
      }
    }
  }

  private mutating func append(_ piece: Span<UInt8>, _ range: Range<Int>) {
    piece.extracting(range).withUnsafeBufferPointer { raw.append(contentsOf: $0) }
  }

  private mutating func receive(_ block: [UInt8]) {
    texts += 1
    if !TitleReader.isText(block) {
      garbled += 1
    } else if block[0] != 0 {
      (garbled, hasReadBlocks, skippedInStep) = (0, true, bytesSkipped)
    }
    titles.read(block: block, at: raw.count)
  }

  /// - Parameter found: the bytes of all packets before.
  private mutating func scan(atEnd: Bool, behind found: UInt64) -> Arrivals {
    let items = scan(atEnd: atEnd)
    let bytes = if case .ogg = content { made } else { raw }
    // A relay counts what it sends: behind anything else than packets its count is not known.
    let place = bytesSkipped > 0 ? nil : place?.advanced(by: found)
    return Arrivals(items: items, bytes: bytes, place: place)
  }

  private mutating func scan(atEnd: Bool) -> [Arrivals.Item] {
    if case .unknown = content {
      guard let isOgg = isOgg(atEnd: atEnd) else { return [] }
      content =
        isOgg
        ? .ogg(OggDemuxer()) : .frames(PacketScanner(hint: hint, isStrict: isForced))
    }
    let current = content
    content = .unknown  // so that it is not copied
    switch current {
    case .unknown: return []
    case .frames(var scanner):
      defer { content = .frames(scanner) }
      return scan(&scanner, atEnd: atEnd)
    case .ogg(var demuxer):
      defer { content = .ogg(demuxer) }
      return demux(&demuxer, atEnd: atEnd)
    }
  }

  /// Whether the body is Ogg; nil until more bytes decide. The bytes count, not the type: MP3 has been seen under Ogg's
  /// type.
  private mutating func isOgg(atEnd: Bool) -> Bool? {
    if isForced { return hint?.isOgg == true }
    guard raw.count >= Self.oggCapture.count || atEnd else { return nil }
    if raw.starts(with: Self.oggCapture) { return true }
    guard hint?.isOgg == true else { return false }
    if findsOgg() { return true }
    return raw.count >= Self.bytesBeforeOggMax || atEnd ? false : nil
  }

  /// Looks at each byte once, however small the pieces are.
  private mutating func findsOgg() -> Bool {
    let end = min(raw.count, Self.bytesBeforeOggMax) - Self.oggCapture.count
    while soughtForOgg <= end {
      if raw[soughtForOgg] == Self.oggCapture[0],
        raw[soughtForOgg...].starts(with: Self.oggCapture)
      {
        return true
      }
      soughtForOgg += 1
    }
    return false
  }

  private mutating func scan(_ scanner: inout PacketScanner, atEnd: Bool) -> [Arrivals.Item] {
    let shown = raw  // no copy: nothing is written before it is let go
    var items: [Arrivals.Item] = []
    while let finding = scanner.next(in: shown.span, from: scanned, atEnd: atEnd) {
      switch finding {
      case .packet(let packet): add(packet, endingAt: packet.range.upperBound, &items)
      case .skipped(let range, let kind):
        if kind == .garbage { bytesSkipped += UInt64(range.count) }
        scanned = range.upperBound
      }
      if scanner.bytesWithoutSync >= Self.bytesWithoutSyncMax { break }
    }
    return items
  }

  private mutating func demux(_ demuxer: inout OggDemuxer, atEnd: Bool) -> [Arrivals.Item] {
    let shown = raw
    var items: [Arrivals.Item] = []
    let before = demuxer.bytesSkipped
    defer { bytesSkipped += UInt64(demuxer.bytesSkipped - before) }
    while let found = demuxer.next(in: shown.span, from: scanned, atEnd: atEnd, into: &made) {
      for item in found.items {
        switch item {
        case .headers(let headers):
          texts += 1
          items.append(.headers(headers))
          titles.read(comments: headers.comments, at: scanned)
        // The end of a link may be left out wholly.
        case .packet(let packet):
          if packet.heard > 0 { add(packet, endingAt: found.end, &items) }
        case .lost(let samples, let format):
          items.append(.lost(seconds: Double(samples) / Double(format.sampleRate)))
        }
      }
      scanned = found.end
      if demuxer.bytesWithoutSync >= Self.bytesWithoutSyncMax { break }
    }
    return items
  }

  private mutating func add(
    _ packet: PacketScanner.Packet, endingAt end: Int, _ items: inout [Arrivals.Item]
  ) {
    if let title = titles.next(before: end) { items.append(.title(title)) }
    items.append(.packet(packet))
    packets += 1
    bytesFound += UInt64(packet.range.count)
    bytesSincePacket = 0
    scanned = end
  }
}
