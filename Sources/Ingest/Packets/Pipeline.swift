import Wire

/// What a body is made of, in the order of the audio.
enum PipelineItem: Hashable {
  /// Belongs to the next packet: the one in whose bytes the upstream's block stood.
  case title(Title)
  /// The packets that follow are pages of an Ogg stream that begins like this.
  case headers(OggHeaders)
  /// `range` is in the pipeline's bytes, until it is fed again.
  case packet(PacketScanner.Packet)

  var isPacket: Bool {
    if case .packet = self { true } else { false }
  }
}

/// One connection's body, from bytes to packets and titles.
///
/// The audio is copied once, into one buffer without its ICY blocks; what the scanner has passed is dropped at the next
/// feed. The buffer holds the piece fed and the packet that is not yet whole, at most `bytesMax`. Of Ogg the packets are
/// pages made anew, in a second buffer.
struct Pipeline {
  /// Without sync for so long, a body is not audio that we know.
  static let bytesWithoutSyncMax = 64 * 1024
  // Tags of 16 MiB and comments with pictures are stepped over; without a packet for longer it is nothing but those.
  static let bytesWithoutPacketMax = 40 << 20
  // The scanner needs up to 16 KiB to make progress, Ogg a page of 64 KiB; a piece from curl is up to 16 KiB.
  static let bytesMax = 256 * 1024

  /// So many blocks in a row that are no text may be audio, if what is taken for audio is broken besides.
  private static let garbledMax = 2

  // What is announced as Ogg may begin with a stray text, or in the middle of a page.
  private static let bytesBeforeOggMax = 8 * 1024
  private static let oggCapture = Array("OggS".utf8)

  // Titles of one packet: a metaint of a few bytes is somebody's joke.
  private static let titlesMax = 64

  /// What the ranges of packets point into.
  var bytes: [UInt8] {
    if case .ogg = content { made } else { raw }
  }
  private(set) var packets = 0
  /// Title blocks and comments that had to be read.
  private(set) var texts = 0
  private var bytesSincePacket = 0
  /// Bytes that were no audio and nothing that belongs to it, such as damaged frames and pages.
  private(set) var bytesSkipped: UInt64 = 0
  private var raw: [UInt8] = []
  /// Of `raw`: where no page of Ogg begins.
  private var soughtForOgg = 0
  private var made: [UInt8] = []
  private var scanned = 0
  private var deinterleaver: ICYDeinterleaver?
  private var content = Content.unknown
  private let hint: Codec?
  private let isForced: Bool
  private let titles: TitleReader
  private var hasReadBlocks = false
  /// The body read as if it had no blocks, until a block is read or it is clear which reading is right.
  private var withoutBlocks: BlocklessReading?
  /// `bytesSkipped` when a block was last in its place.
  private var skippedInStep: UInt64 = 0
  /// Blocks in a row that were no text.
  private var garbled = 0
  private var title = Title(text: "")
  /// Whether an Ogg stream's own comments have said what is playing.
  private var hasComments = false
  /// Titles whose packet is not yet whole, with the place in `bytes` where their block stood.
  private var waiting: [(place: Int, title: Title)] = []

  /// `isForced`: the hint is no guess.
  init(metaint: Int?, hint: Codec?, isForced: Bool = false, titles: TitleReader) {
    deinterleaver = metaint.map { ICYDeinterleaver(metaint: $0) }
    withoutBlocks = metaint.map { _ in
      BlocklessReading(hint: hint, isForced: isForced, titles: titles)
    }
    self.hint = hint
    self.isForced = isForced
    self.titles = titles
  }

  private enum Content {
    case unknown
    case frames(PacketScanner)
    case ogg(OggDemuxer)
  }

  /// Nothing of what came is audio that we know.
  var isBad: Bool {
    if bytesSincePacket > Self.bytesWithoutPacketMax { return true }
    return switch content {
    case .unknown: false
    case .frames(let scanner): scanner.bytesWithoutSync >= Self.bytesWithoutSyncMax
    case .ogg(let demuxer): demuxer.bytesWithoutSync >= Self.bytesWithoutSyncMax
    }
  }

  /// What came was pages of Ogg.
  var isOgg: Bool {
    if case .ogg = content { true } else { false }
  }

  /// How much was nothing, for people.
  var barrenBytes: String {
    bytesSincePacket > Self.bytesWithoutPacketMax ? "40 MiB" : "64 KiB"
  }

  /// The upstream has lost count of its metaint: titles and audio will not part again before it is asked anew.
  ///
  /// Blocks of garbage in their places are another matter: between them the audio is whole.
  var isOutOfStep: Bool {
    hasReadBlocks && garbled >= Self.garbledMax && bytesSkipped > skippedInStep
  }

  /// Takes a piece of the body; returns what is whole by now.
  mutating func feed(_ piece: Span<UInt8>) -> [PipelineItem] {
    bytesSincePacket += piece.count
    compact()
    deinterleave(piece)
    defer { compareReadings(piece) }
    return scan(atEnd: false)
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
  }

  /// The body has ended: what is left is accepted with fewer headers agreeing.
  mutating func finish() -> [PipelineItem] {
    compact()
    return scan(atEnd: true)
  }

  private mutating func compact() {
    if raw.count - scanned > Self.bytesMax { scanned = raw.count - Self.bytesMax / 2 }
    raw.removeFirst(scanned)
    made.removeAll(keepingCapacity: true)
    for index in waiting.indices { waiting[index].place = max(0, waiting[index].place - scanned) }
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
      case .block(let block): take(block)
      case nil: return
      }
    }
  }

  private mutating func append(_ piece: Span<UInt8>, _ range: Range<Int>) {
    piece.extracting(range).withUnsafeBufferPointer { raw.append(contentsOf: $0) }
  }

  private mutating func take(_ block: [UInt8]) {
    texts += 1
    if !TitleReader.isText(block) {
      garbled += 1
    } else if block[0] != 0 {
      (garbled, hasReadBlocks, skippedInStep) = (0, true, bytesSkipped)
    }
    guard let next = titles.title(in: block, after: title) else { return }
    title = next
    if waiting.count == Self.titlesMax { waiting.removeFirst() }
    waiting.append((place: raw.count, title: title))
  }

  private mutating func scan(atEnd: Bool) -> [PipelineItem] {
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

  /// nil: more bytes will tell. They decide, as everywhere: MP3 has been seen under Ogg's type.
  private mutating func isOgg(atEnd: Bool) -> Bool? {
    if isForced { return hint?.isOgg == true }
    guard raw.count >= Self.oggCapture.count || atEnd else { return nil }
    if raw.starts(with: Self.oggCapture) { return true }
    guard hint?.isOgg == true else { return false }
    if findsOgg() { return true }
    return raw.count >= Self.bytesBeforeOggMax || atEnd ? false : nil
  }

  /// Looks at each byte once, in however small pieces they come.
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

  private mutating func scan(_ scanner: inout PacketScanner, atEnd: Bool) -> [PipelineItem] {
    let shown = raw  // no copy: nothing is written before it is let go
    var items: [PipelineItem] = []
    while let finding = scanner.next(in: shown.span, from: scanned, atEnd: atEnd) {
      switch finding {
      case .packet(let packet): take(packet, endingAt: packet.range.upperBound, &items)
      case .skipped(let range, let kind):
        if kind == .garbage { bytesSkipped += UInt64(range.count) }
        scanned = range.upperBound
      }
      if scanner.bytesWithoutSync >= Self.bytesWithoutSyncMax { break }
    }
    return items
  }

  private mutating func demux(_ demuxer: inout OggDemuxer, atEnd: Bool) -> [PipelineItem] {
    let shown = raw
    var items: [PipelineItem] = []
    let before = demuxer.bytesSkipped
    defer { bytesSkipped += UInt64(demuxer.bytesSkipped - before) }
    while let found = demuxer.next(in: shown.span, from: scanned, atEnd: atEnd, into: &made) {
      for item in found.items {
        switch item {
        case .headers(let headers):
          texts += 1
          items.append(.headers(headers))
          take(headers.comments, at: scanned)
        case .packet(let packet): take(packet, endingAt: found.end, &items)
        }
      }
      scanned = found.end
      if demuxer.bytesWithoutSync >= Self.bytesWithoutSyncMax { break }
    }
    return items
  }

  private mutating func take(
    _ packet: PacketScanner.Packet, endingAt end: Int, _ items: inout [PipelineItem]
  ) {
    if let title = titleStanding(before: end) { items.append(.title(title)) }
    items.append(.packet(packet))
    packets += 1
    bytesSincePacket = 0
    scanned = end
  }

  /// A link that says nothing ends the title that the one before it had.
  private mutating func take(_ comments: VorbisComments, at place: Int) {
    guard let next = titles.title(in: comments) ?? (hasComments ? Title(text: "") : nil) else {
      return
    }
    hasComments = true
    title = next
    let index = waiting.firstIndex { $0.place > place } ?? waiting.count
    waiting.insert((place: place, title: next), at: index)
  }

  /// The newest of the titles whose block stood before `place`: two inside one packet are one change.
  private mutating func titleStanding(before place: Int) -> Title? {
    guard !waiting.isEmpty else { return nil }
    let due = waiting.prefix { $0.place < place }
    waiting.removeFirst(due.count)
    return due.last?.title
  }
}
