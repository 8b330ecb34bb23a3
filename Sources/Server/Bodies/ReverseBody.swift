import Timeshift
import Wire

/// The body of an answer that is played backwards: decoded and encoded while it is sent, two blocks ahead.
///
/// It goes at the pace of clips. A client that takes nothing has nothing made for it.
final class ReverseBody: Body {
  private let source: any ReverseSource
  private let customer: AddressBlock?
  private let pace: ClipPace
  private let figures: ClipFigures
  private var blocks: ArraySlice<SampleBlock> = []
  /// Bytes of the first block that have been sent.
  private var sent = 0
  private var isMade = false
  /// Whether no more can be made, though more was asked for.
  private var isCutShort = false
  private var isAsking = false
  private(set) var cursor = MediaTime.zero

  /// Blocks that are made ahead.
  private static let ahead = 2
  /// Longest wait for the pace, which may be changed while an answer waits.
  private static let waitMax: Int64 = 500_000_000

  /// - Parameter customer: the address whose clips have their pace together.
  init(
    _ source: any ReverseSource, for customer: AddressBlock?, at pace: ClipPace,
    counting figures: ClipFigures
  ) {
    self.source = source
    self.customer = customer
    self.pace = pace
    self.figures = figures
  }

  var hasLength: Bool { false }
  var isOut: Bool { blocks.isEmpty && isMade && !isCutShort }

  func wantsShare(now: Int64) -> Bool { !blocks.isEmpty && pace.due(customer) <= now }

  func next(
    limit: Int, scratch: UnsafeMutableRawBufferPointer, isPrompt: Bool, now: Int64
  ) -> BodyStep {
    guard let block = blocks.first else {
      return isCutShort ? .lost : isMade ? .out : .wait(until: now)
    }
    let due = pace.due(customer)
    if due > now { return .wait(until: min(due, now + Self.waitMax)) }
    guard isPrompt else { return .turn }
    return .bytes(scratch.holding(block.bytes[sent...].prefix(limit)))
  }

  func took(_ count: Int, isAll: Bool, now: Int64) {
    guard count > 0, let block = blocks.first else { return }
    let share = Double(count) / Double(max(1, block.bytes.count))
    let length = MediaTime(seconds: share * block.length.seconds)
    pace.sent(length, to: customer, now: now)
    figures.bytes += UInt64(count)
    cursor += length
    sent += count
    if sent == block.bytes.count {
      blocks.removeFirst()
      sent = 0
    }
  }

  func nextErrand(now: Int64) -> (@Sendable () async -> SampleBlock?)? {
    guard !isMade, !isAsking, blocks.count < Self.ahead else { return nil }
    isAsking = true
    return { [source] in await source.next() }
  }

  func learn(_ news: SampleBlock?) {
    isAsking = false
    guard let block = news else {
      (isMade, isCutShort) = (true, source.isCutShort)
      return
    }
    if !block.bytes.isEmpty { blocks.append(block) }
  }
}
