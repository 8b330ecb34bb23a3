import Wire

/// Reads a body that was announced with title blocks as if it had none, beside the reading that removes them.
///
/// Some upstreams announce blocks and send none, others fill theirs with anything. The wrong reading breaks a frame at
/// each place of a block, so the reading with unbroken frames is right.
final class BlocklessReading {
  enum Verdict {
    case open
    case blocks
    case noBlocks
  }

  /// The packets that both readings must have before damage counts: until then there may be garbage, which they count
  /// differently.
  private static let packetsMin = 3

  private var pipeline: Pipeline
  private var before: (blocks: UInt64, noBlocks: UInt64)?

  init(hint: Codec?, isForced: Bool, titles: TitleReader) {
    pipeline = Pipeline(
      metaint: nil, hint: hint, isForced: isForced, titles: titles, seeksBlocks: false)
  }

  /// Feeds a piece that the other reading has had, with that reading's counts so far. Returns which reading is right.
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
