import Timeshift
import Wire

/// The body of an answer that is read from the log while it is sent: nothing of it is held.
final class ClipBody {
  private let reader: LogReader
  private let clip: Clip
  private var pieces: ArraySlice<RangedReply.Piece>
  /// Of the first piece.
  private var sent = 0
  /// Whether it stands in the loop's row of clips that wait.
  var isInRow = false
  var reading: SlowReading
  /// How much of it has been taken, in media time.
  private(set) var cursor = MediaTime.zero

  init(_ clip: Clip, _ pieces: [RangedReply.Piece], from reader: LogReader, now: Int64) {
    reading = SlowReading(now: now)
    self.clip = clip
    self.reader = reader
    self.pieces = pieces.filter { $0.count > 0 }[...]
  }

  var isOut: Bool { pieces.isEmpty }

  /// What comes next, at most `limit` bytes of it.
  func next(limit: Int, scratch: UnsafeMutableRawBufferPointer) -> LogAnswer {
    reader.refresh()
    switch pieces.first {
    case .text(let bytes):
      let part = bytes[sent...].prefix(min(limit, scratch.count))
      part.withUnsafeBytes { scratch.copyMemory(from: $0) }
      return .bytes(UnsafeRawBufferPointer(rebasing: scratch[..<part.count]))
    case .part(let range):
      let left = range.count - sent
      return reader.read(
        clip, at: range.lowerBound + sent, limit: min(limit, left), scratch: scratch)
    case nil: return .bytes(UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  /// How long so many bytes of it last.
  func length(of count: Int) -> MediaTime {
    let share = Double(count) / Double(max(1, clip.byteCount))
    return MediaTime(seconds: min(1, share) * clip.seconds)
  }

  /// The socket has taken so much of it.
  func took(_ count: Int) {
    sent += count
    cursor += length(of: count)
    if let first = pieces.first, sent == first.count {
      pieces.removeFirst()
      sent = 0
    }
  }
}
