import Wire

/// Finds title blocks in a body whose head announced none.
///
/// A proxy may lose the line `icy-metaint`, and some servers never send it. The places of two blocks with a title are a
/// multiple of the metaint apart, blocks without one between them being a single byte each. The reading that takes
/// blocks out at these places is believed when it breaks no frame where the other one does.
final class UndeclaredBlocks {
  struct Found {
    var metaint: Int
    /// Stands where the body now stands.
    var deinterleaver: ICYDeinterleaver
    /// The text of the block read last.
    var newestBlock: [UInt8]?
  }

  private static let word = Array("StreamTitle=".utf8)
  // Real metaints lie between 256 and 65536.
  private static let metaintMin = 256

  private let makePipeline: () -> Pipeline
  /// The bytes of the body so far.
  private var place = 0
  /// How much of the word the newest bytes are.
  private var matched = 0
  private var last: UInt8 = 0
  /// The byte in front of the word: the length of its block in units of 16 bytes.
  private var lengthByte: UInt8 = 0
  /// Where the newest block with a title ends; 0 for the body's begin.
  private var blockEnd = 0
  /// A multiple of the metaint and one byte, by the blocks seen.
  private var period = 0
  private var trial: Trial?

  init(hint: Codec?, isForced: Bool, titles: TitleReader) {
    makePipeline = {
      Pipeline(metaint: nil, hint: hint, isForced: isForced, titles: titles, seeksBlocks: false)
    }
  }

  /// Feeds a piece that the reading without blocks has had, with that reading's counts so far.
  ///
  /// Returns the blocks once they are certain.
  func feed(_ piece: Span<UInt8>, packets: Int, skipped: UInt64) -> Found? {
    var tried = 0
    for index in piece.indices {
      let byte = piece[index]
      matched = byte == Self.word[matched] ? matched + 1 : byte == Self.word[0] ? 1 : 0
      if matched == 1 { lengthByte = last }
      last = byte
      guard matched == Self.word.count else { continue }
      matched = 0
      if begin(behind: place &+ index &+ 1) { tried = index + 1 }
    }
    place &+= piece.count
    guard let trial else { return nil }
    trial.feed(piece.extracting(tried..<piece.count))
    switch trial.verdict(packets: packets, skipped: skipped) {
    case .open: return nil
    case .wrong: self.trial = nil
    case .right(let found): return found
    }
    return nil
  }

  /// Notes a word that ends at `end`. True: a trial of its block's metaint begins there.
  private func begin(behind end: Int) -> Bool {
    let start = end &- Self.word.count &- 1
    guard lengthByte > 0, start >= blockEnd else { return false }
    let distance = start &- blockEnd &+ 1
    blockEnd = start &+ 1 &+ Int(lengthByte) &* 16
    let common = Self.commonDivisor(period, distance)
    period = common > Self.metaintMin ? common : distance
    let metaint = period &- 1
    guard Self.metaintMin...UpstreamHeaders.metaintMax ~= metaint else { return false }
    if trial?.metaint == metaint { return false }
    trial = Trial(metaint, lengthByte: lengthByte, text: Self.word, pipeline: makePipeline())
    return true
  }

  private static func commonDivisor(_ one: Int, _ other: Int) -> Int {
    var (one, other) = (one, other)
    while other > 0 { (one, other) = (other, one % other) }
    return one
  }

  /// The reading that takes blocks out, from one of them on.
  private final class Trial {
    enum Verdict {
      case open, wrong
      case right(Found)
    }

    /// The packets that a reading must have before damage counts: it begins in the middle of one.
    private static let packetsMin = 3

    let metaint: Int
    private var deinterleaver: ICYDeinterleaver
    private var pipeline: Pipeline
    private var newestBlock: [UInt8]?
    /// The other reading's packets when the trial began.
    private var packetsBefore: Int?
    /// The number of own packets with which the other reading's first damage proves the trial right.
    private var packetsProven: Int?
    /// Bytes that both readings had skipped when damage began to count.
    private var before: (own: UInt64, other: UInt64)?

    init(_ metaint: Int, lengthByte: UInt8, text: [UInt8], pipeline: Pipeline) {
      self.metaint = metaint
      self.pipeline = pipeline
      deinterleaver = ICYDeinterleaver(atBlock: metaint)
      feed(([lengthByte] + text).span)
    }

    func feed(_ piece: Span<UInt8>) {
      var from = 0
      while from < piece.count {
        let next = deinterleaver.next(in: piece, from: from)
        from = next.end
        switch next.piece {
        case .audio(let range): _ = pipeline.feed(piece.extracting(range))
        case .block(let block): newestBlock = block
        case nil: return
        }
      }
    }

    func verdict(packets: Int, skipped: UInt64) -> Verdict {
      let packetsBefore = packetsBefore ?? packets
      self.packetsBefore = packetsBefore
      guard let before else {
        if min(packets - packetsBefore, pipeline.packets) >= Self.packetsMin {
          before = (pipeline.bytesSkipped, skipped)
        }
        return .open
      }
      if pipeline.bytesSkipped > before.own { return .wrong }
      guard skipped > before.other else { return .open }
      // The same damage may be noticed later here.
      let packetsProven = packetsProven ?? pipeline.packets + Self.packetsMin
      self.packetsProven = packetsProven
      guard pipeline.packets >= packetsProven else { return .open }
      return .right(
        Found(metaint: metaint, deinterleaver: deinterleaver, newestBlock: newestBlock))
    }
  }
}
