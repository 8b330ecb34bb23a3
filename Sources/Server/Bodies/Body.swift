import Timeshift

/// Content that an answer sends behind its head, and reads or makes while it is sent: a clip, a file, made pages.
///
/// A body belongs to one loop. It decides what comes next; the loop writes it, and says what the socket took.
protocol Body: AnyObject, SendableMetatype {
  /// Result of an errand of this body.
  associatedtype News: Sendable = Never

  /// Media time of the body that has been taken.
  var cursor: MediaTime { get }
  /// Whether the answer's head has said how long the body is, so that a client notices what is missing.
  var hasLength: Bool { get }
  /// Whether all of the body has been taken.
  var isOut: Bool { get }

  /// Whether the body could send more now if it had a part of the slot's prompt share.
  func wantsShare(now: Int64) -> Bool

  /// Returns what comes next.
  ///
  /// - Parameters:
  ///   - limit: the most bytes that a step may have.
  ///   - scratch: memory for the bytes, as long as they are looked at.
  ///   - isPrompt: whether the body has a part of the slot's prompt share.
  func next(
    limit: Int, scratch: UnsafeMutableRawBufferPointer, isPrompt: Bool, now: Int64
  ) -> BodyStep

  /// Notes that the socket took `count` of the bytes it was offered.
  func took(_ count: Int, isAll: Bool, now: Int64)

  /// Returns what has to be found out off the loop before more can be sent; nil when nothing has to be, or it is being
  /// found out.
  func nextErrand(now: Int64) -> (@Sendable () async -> News)?
  /// Receives what an errand found out.
  func learn(_ news: News)
}

extension Body {
  func nextErrand(now: Int64) -> (@Sendable () async -> News)? { nil }
  func learn(_ news: News) {}
}

/// Result of a body's turn.
enum BodyStep {
  case bytes(UnsafeRawBufferPointer)
  /// Bytes of a file, in the page cache.
  case file(descriptor: Int32, at: UInt64, count: Int)
  /// Nothing can be sent until this time, monotonic nanoseconds; a past time stands for the next slot.
  case wait(until: Int64)
  /// Nothing can be sent without a part of the prompt share.
  case turn
  /// The body cannot be read any more.
  case lost
  case out
}

extension Body {
  var hasLength: Bool { true }
}

extension UnsafeMutableRawBufferPointer {
  /// Copies the beginning of `bytes`, as much as there is room for, and returns the copy.
  func holding(_ bytes: ArraySlice<UInt8>) -> UnsafeRawBufferPointer {
    let part = bytes.prefix(count)
    part.withUnsafeBytes { copyMemory(from: $0) }
    return UnsafeRawBufferPointer(rebasing: self[..<part.count])
  }
}
