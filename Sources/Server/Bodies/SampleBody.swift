import Timeshift

/// The body of an answer whose samples are decoded while they are sent, and sent as they are heard.
final class SampleBody: Body {
  private let source: any SampleSource
  private var pace: FilePace
  private var blocks: ArraySlice<SampleBlock> = []
  /// Bytes of the first block that have been sent.
  private var sent = 0
  private var isAsking = false
  private var isOver = false
  /// Time from which more is asked for, monotonic nanoseconds.
  private var askFrom: Int64 = 0
  /// Media time of all blocks before the first one.
  private(set) var cursor = MediaTime.zero

  /// Blocks that are made ahead.
  private static let ahead = 2
  /// Nanoseconds between two questions while nothing is there yet.
  private static let askNanoseconds: Int64 = 20_000_000

  /// - Parameter head: bytes in front of the samples.
  init(_ source: any SampleSource, head: [UInt8], burst: MediaTime, now: Int64) {
    self.source = source
    pace = FilePace(burst: burst, now: now)
    if !head.isEmpty { blocks.append(SampleBlock(bytes: head)) }
  }

  var isOut: Bool { blocks.isEmpty && isOver }

  func wantsShare(now: Int64) -> Bool { false }

  func next(
    limit: Int, scratch: UnsafeMutableRawBufferPointer, isPrompt: Bool, now: Int64
  ) -> BodyStep {
    let owed = pace.owed(cursor, isPrompt: true, now: now)
    guard let block = blocks.first else { return isOver ? .out : .wait(until: now) }
    // A block that begins within what is owed goes out whole.
    guard sent > 0 || cursor <= owed else {
      pace.caughtUp(isPrompt: true)
      return .wait(until: now)
    }
    return .bytes(scratch.holding(block.bytes[sent...].prefix(limit)))
  }

  func took(_ count: Int, isAll: Bool, now: Int64) {
    pace.isStalled = !isAll
    sent += count
    guard let block = blocks.first, sent == block.bytes.count else { return }
    cursor += block.length
    blocks.removeFirst()
    sent = 0
  }

  func takeErrand(now: Int64) -> (@Sendable () async -> SampleBlock?)? {
    guard !isOver, !isAsking, blocks.count < Self.ahead, now >= askFrom else { return nil }
    isAsking = true
    askFrom = now + Self.askNanoseconds
    return { [source] in await source.next() }
  }

  func learn(_ news: SampleBlock?) {
    isAsking = false
    guard let block = news else {
      isOver = true
      return
    }
    if block.bytes.isEmpty { return }
    askFrom = 0
    blocks.append(block)
  }
}
