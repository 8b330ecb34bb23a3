import Wire

/// What a body is made of, in the order of the audio.
enum PipelineItem: Hashable {
  /// Belongs to the next packet: the one in whose bytes the upstream's block stood.
  case title(Title)
  /// `range` is in the pipeline's bytes, until it is fed again.
  case packet(PacketScanner.Packet)
}

/// One connection's body, from bytes to packets and titles.
///
/// The audio is copied once, into one buffer without its ICY blocks; what the scanner has passed is dropped at the next
/// feed. The buffer holds the piece fed and the packet that is not yet whole, at most `bytesMax`.
struct Pipeline {
  /// Without sync for so long, a body is not audio that we know.
  static let bytesWithoutSyncMax = 64 * 1024
  // The scanner needs up to 16 KiB to make progress, a piece from curl is up to 16 KiB: more is never useful.
  static let bytesMax = 256 * 1024

  /// So many blocks in a row that are no text are audio.
  private static let garbledMax = 2

  // Titles of one packet: a metaint of a few bytes is somebody's joke.
  private static let titlesMax = 64

  private(set) var bytes: [UInt8] = []
  private(set) var packets = 0
  private var scanned = 0
  private var deinterleaver: ICYDeinterleaver?
  private var scanner: PacketScanner
  private let titles: TitleReader
  private var hasReadBlocks = false
  /// Blocks in a row that were no text.
  private var garbled = 0
  private var title = Title(text: "")
  /// Titles whose packet is not yet whole, with the place in `bytes` where their block stood.
  private var waiting: [(place: Int, title: Title)] = []

  /// `isForced`: the hint is no guess.
  init(metaint: Int?, hint: Codec?, isForced: Bool = false, titles: TitleReader) {
    deinterleaver = metaint.map { ICYDeinterleaver(metaint: $0) }
    scanner = PacketScanner(hint: hint, isStrict: isForced)
    self.titles = titles
  }

  /// Nothing of what came is audio that we know.
  var isBad: Bool { scanner.bytesWithoutSync >= Self.bytesWithoutSyncMax }

  /// The upstream has lost count of its metaint: titles and audio will not part again before it is asked anew.
  var isOutOfStep: Bool { hasReadBlocks && garbled >= Self.garbledMax }

  /// Takes a piece of the body; returns what is whole by now.
  mutating func feed(_ piece: Span<UInt8>) -> [PipelineItem] {
    compact()
    deinterleave(piece)
    return scan(atEnd: false)
  }

  /// The body has ended: what is left is accepted with fewer headers agreeing.
  mutating func finish() -> [PipelineItem] {
    compact()
    return scan(atEnd: true)
  }

  private mutating func compact() {
    if bytes.count - scanned > Self.bytesMax { scanned = bytes.count - Self.bytesMax / 2 }
    bytes.removeFirst(scanned)
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
    piece.extracting(range).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
  }

  private mutating func take(_ block: [UInt8]) {
    garbled = TitleReader.isText(block) ? 0 : garbled + 1
    if garbled == 0 { hasReadBlocks = true }
    // It announced blocks and sends none.
    if garbled == Self.garbledMax && !hasReadBlocks { deinterleaver = nil }
    guard let next = titles.title(in: block, after: title) else { return }
    title = next
    if waiting.count == Self.titlesMax { waiting.removeFirst() }
    waiting.append((place: bytes.count, title: title))
  }

  private mutating func scan(atEnd: Bool) -> [PipelineItem] {
    let shown = bytes  // no copy: nothing is written before it is let go
    var items: [PipelineItem] = []
    while let finding = scanner.next(in: shown.span, from: scanned, atEnd: atEnd) {
      switch finding {
      case .packet(let packet):
        if let title = titleStanding(before: packet.range.upperBound) {
          items.append(.title(title))
        }
        items.append(.packet(packet))
        packets += 1
        scanned = packet.range.upperBound
      case .skipped(let range, _):
        scanned = range.upperBound
      }
      if isBad { break }
    }
    return items
  }

  /// The newest of the titles whose block stood before `place`: two inside one packet are one change.
  private mutating func titleStanding(before place: Int) -> Title? {
    guard !waiting.isEmpty else { return nil }
    let due = waiting.prefix { $0.place < place }
    waiting.removeFirst(due.count)
    return due.last?.title
  }
}
