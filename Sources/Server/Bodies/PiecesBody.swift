import Timeshift

/// The body of an answer that is made piece by piece while it is sent.
///
/// Where the client knows chunks, they tell it the end; else the connection's end does.
final class PiecesBody: Body {
  enum News: Sendable {
    case piece([UInt8])
    case end
    case failure
  }

  private let order: PieceOrder
  private let isChunked: Bool
  private var pieces: ArraySlice<[UInt8]> = []
  /// Bytes of the first piece that have been sent.
  private var sent = 0
  private var isMade = false
  private var hasFailed = false
  private var isAsking = false
  /// What was sent, as time: slower than 1 KiB a second is too slow (`SlowReading`).
  private(set) var cursor = MediaTime.zero

  /// Pieces that are made ahead.
  private static let ahead = 2
  private static let secondsPerByte = SlowReading.shareMin / 1024

  init(_ order: PieceOrder, isChunked: Bool) { (self.order, self.isChunked) = (order, isChunked) }

  var hasLength: Bool { false }
  var isOut: Bool { pieces.isEmpty && isMade }

  func wantsShare(now: Int64) -> Bool { !pieces.isEmpty }

  func next(
    limit: Int, scratch: UnsafeMutableRawBufferPointer, isPrompt: Bool, now: Int64
  ) -> BodyStep {
    guard let piece = pieces.first else {
      return hasFailed ? .lost : isMade ? .out : .wait(until: now)
    }
    guard isPrompt else { return .turn }
    return .bytes(scratch.holding(piece[sent...].prefix(limit)))
  }

  func took(_ count: Int, isAll: Bool, now: Int64) {
    guard count > 0, let piece = pieces.first else { return }
    cursor += MediaTime(seconds: Double(count) * Self.secondsPerByte)
    sent += count
    guard sent == piece.count else { return }
    pieces.removeFirst()
    sent = 0
  }

  func nextErrand(now: Int64) -> (@Sendable () async -> News)? {
    guard !isMade, !hasFailed, !isAsking, pieces.count < Self.ahead else { return nil }
    isAsking = true
    return { [order] in
      do {
        return try await order.next().map { .piece($0) } ?? .end
      } catch {
        return .failure
      }
    }
  }

  func learn(_ news: News) {
    isAsking = false
    switch news {
    case .piece(let bytes):
      // An empty chunk would be the end.
      if !bytes.isEmpty { pieces.append(isChunked ? PieceOrder.chunk(bytes) : bytes) }
    case .end:
      isMade = true
      if isChunked { pieces.append(PieceOrder.lastChunk) }
    case .failure: hasFailed = true
    }
  }
}
