import Timeshift

/// The body of an answer whose samples are decoded while they are sent, and sent as they are heard.
final class SampleBody: Body {
  private let source: any SampleSource
  private var pieces: PacedPieces
  private var isAsking = false
  /// Time from which more is asked for, monotonic nanoseconds.
  private var askFrom: Int64 = 0

  /// Blocks that are made ahead.
  private static let ahead = 2
  /// Nanoseconds between two questions while nothing is there yet.
  private static let askNanoseconds: Int64 = 20_000_000

  /// - Parameter head: bytes in front of the samples.
  init(_ source: any SampleSource, head: [UInt8], burst: MediaTime, now: Int64) {
    self.source = source
    pieces = PacedPieces(burst: burst, lookInterval: 0, now: now)
    if !head.isEmpty { pieces.append(head, .zero) }
  }

  var cursor: MediaTime { pieces.cursor }
  var isOut: Bool { pieces.isOut }

  func wantsShare(now: Int64) -> Bool { false }

  func next(
    limit: Int, scratch: UnsafeMutableRawBufferPointer, isPrompt: Bool, now: Int64
  ) -> BodyStep {
    pieces.next(limit: limit, scratch: scratch, isPrompt: true, now: now)
  }

  func took(_ count: Int, isAll: Bool, now: Int64) { pieces.took(count, isAll: isAll) }

  func nextErrand(now: Int64) -> (@Sendable () async -> SampleBlock?)? {
    guard !pieces.isMade, !isAsking, pieces.count < Self.ahead, now >= askFrom else { return nil }
    isAsking = true
    askFrom = now + Self.askNanoseconds
    return { [source] in await source.next() }
  }

  func learn(_ news: SampleBlock?) {
    isAsking = false
    guard let block = news else {
      pieces.isMade = true
      return
    }
    if block.bytes.isEmpty { return }
    askFrom = 0
    pieces.append(block.bytes, block.length)
  }
}
