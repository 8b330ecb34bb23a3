import Timeshift
import Wire

/// The body of an answer with a clip, which is read from the log while it is sent: nothing of it is held.
final class ClipBody: Body {
  private let reader: LogReader
  private let clip: Clip
  private let customer: AddressBlock?
  private let pace: ClipPace
  private let figures: ClipFigures
  private var pieces: ArraySlice<RangedReply.Piece>
  /// Bytes of the first piece that have been sent.
  private var sent = 0
  private(set) var cursor = MediaTime.zero

  /// - Parameter customer: the address whose clips have their pace together.
  init(
    _ clip: Clip, _ pieces: [RangedReply.Piece], from reader: LogReader,
    for customer: AddressBlock?, at pace: ClipPace, counting figures: ClipFigures
  ) {
    self.clip = clip
    self.reader = reader
    self.customer = customer
    self.pace = pace
    self.figures = figures
    self.pieces = pieces.filter { $0.count > 0 }[...]
  }

  var isOut: Bool { pieces.isEmpty }

  func wantsShare(now: Int64) -> Bool { pace.due(customer) <= now }

  /// Longest wait for the pace, which may be changed while a clip waits.
  private static let waitMax: Int64 = 500_000_000

  func next(
    limit: Int, scratch: UnsafeMutableRawBufferPointer, isPrompt: Bool, now: Int64
  ) -> BodyStep {
    let due = pace.due(customer)
    if due > now { return .wait(until: min(due, now + Self.waitMax)) }
    guard isPrompt else { return .turn }
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

  /// Returns how long so many bytes of the clip last.
  private func length(of count: Int) -> MediaTime {
    let share = Double(count) / Double(max(1, clip.byteCount))
    return MediaTime(seconds: min(1, share) * clip.seconds)
  }

  func took(_ count: Int, isAll: Bool, now: Int64) {
    if count == 0 { return }
    pace.sent(length(of: count), to: customer, now: now)
    figures.bytes += UInt64(count)
    sent += count
    cursor += length(of: count)
    if let first = pieces.first, sent == first.count {
      pieces.removeFirst()
      sent = 0
    }
  }
}

/// Counts of the clips that a loop has sent.
final class ClipFigures {
  /// Clips asked for or being sent now.
  var now = 0
  /// All clips there were.
  var total: UInt64 = 0
  var bytes: UInt64 = 0
}
