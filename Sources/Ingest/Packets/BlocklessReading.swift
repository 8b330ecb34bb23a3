import Wire

/// A body that was announced with title blocks, read as if it had none, beside the reading that takes them out.
///
/// Some announce blocks and send none, others fill theirs with anything. In the wrong reading a frame is broken at each
/// place of a block; so the one that gives unbroken frames is right.
final class BlocklessReading {
  enum Verdict {
    case open
    case blocks
    case noBlocks
  }

  /// In both readings, before what is broken counts: until then there may be garbage, which both count otherwise.
  private static let packetsMin = 3

  private var pipeline: Pipeline
  private var before: (blocks: UInt64, noBlocks: UInt64)?

  init(hint: Codec?, isForced: Bool, titles: TitleReader) {
    pipeline = Pipeline(metaint: nil, hint: hint, isForced: isForced, titles: titles)
  }

  /// Takes a piece that the other reading has taken, with what it has found so far.
  func feed(_ piece: Span<UInt8>, packets: Int, skipped: UInt64) -> Verdict {
    _ = pipeline.feed(piece)
    guard let before else {
      if min(packets, pipeline.packets) >= Self.packetsMin {
        before = (skipped, pipeline.bytesSkipped)
      }
      return .open
    }
    let (blocks, noBlocks) = (skipped - before.blocks, pipeline.bytesSkipped - before.noBlocks)
    return blocks == noBlocks ? .open : blocks < noBlocks ? .blocks : .noBlocks
  }
}
