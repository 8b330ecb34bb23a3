import Timeshift
import Wire

/// The body of a segment of MP3 or AAC: a tag, then packets that are read from the log while they are sent.
final class SegmentBody: Body {
  private let reader: LogReader
  private let clip: Clip
  private let figures: HLSFigures
  private var pieces: ArraySlice<RangedReply.Piece>
  /// Bytes of the first piece that have been sent.
  private var sent = 0
  private(set) var cursor = MediaTime.zero

  /// - Parameter pieces: parts of the clip's bytes, and text between them.
  init(
    _ clip: Clip, _ pieces: [RangedReply.Piece], from reader: LogReader,
    counting figures: HLSFigures
  ) {
    (self.clip, self.reader, self.figures) = (clip, reader, figures)
    self.pieces = pieces.filter { $0.count > 0 }[...]
  }

  var isOut: Bool { pieces.isEmpty }

  // Segments are short, and players wait for them: they need no part of the prompt share.
  func wantsShare(now: Int64) -> Bool { false }

  func next(
    limit: Int, scratch: UnsafeMutableRawBufferPointer, isPrompt: Bool, now: Int64
  ) -> BodyStep {
    reader.refresh()
    switch pieces.first {
    case .text(let bytes): return .bytes(scratch.holding(bytes[sent...].prefix(limit)))
    case .part(let range):
      let limit = min(limit, range.count - sent)
      switch reader.read(clip, at: range.lowerBound + sent, limit: limit, scratch: scratch) {
      case .bytes(let piece) where !piece.isEmpty: return .bytes(piece)
      case .bytes, .loading, .liveEdge: return .wait(until: now)
      case .hole, .overrun: return .lost
      }
    case nil: return .out
    }
  }

  func took(_ count: Int, isAll: Bool, now: Int64) {
    if count == 0 { return }
    figures.send(count)
    sent += count
    let share = Double(count) / Double(max(1, clip.byteCount))
    cursor += MediaTime(seconds: min(1, share) * clip.seconds)
    if let first = pieces.first, sent == first.count {
      pieces.removeFirst()
      sent = 0
    }
  }
}

extension RangedReply {
  /// The pieces where the whole is a text and a clip behind it.
  func pieces(behind text: [UInt8]) -> [Piece] {
    pieces.flatMap { piece -> [Piece] in
      guard case .part(let range) = piece else { return [piece] }
      let front = range.clamped(to: 0..<text.count)
      let rest = max(range.lowerBound, text.count)..<max(range.upperBound, text.count)
      return [
        .text(Array(text[front])),
        .part((rest.lowerBound - text.count)..<(rest.upperBound - text.count)),
      ]
    }
  }
}
