// Hot: runs once per write per listener.

/// Counts one listener's audio bytes towards its next ICY block.
///
/// The listener's loop sends at most `untilBlock` bytes of audio and reports them with `sent(audio:)`. When
/// `untilBlock` is 0 a block is due, and `sentBlock()` begins the next count. The count runs on over seeks and skips,
/// since the player does not know of them. The value has eight bytes and no references, and is stored in the listener's
/// slot.
@frozen public struct ICYInterleaver: Hashable, Sendable {
  @usableFromInline var interval: UInt32
  @usableFromInline var left: UInt32

  /// Makes a counter for the start of a response's body.
  ///
  /// - Parameter metaint: Bytes of audio between two blocks, at most 2³² − 1; 0 for no blocks at all.
  @inlinable public init(metaint: Int) {
    interval = UInt32(metaint)
    left = interval
  }

  /// Bytes of audio between two blocks; 0 when off.
  @inlinable public var metaint: Int { Int(interval) }

  /// Whether this listener is sent blocks.
  @inlinable public var isOn: Bool { interval != 0 }

  /// Bytes of audio that may go out before the next block is due; `Int.max` when off.
  @inlinable public var untilBlock: Int { isOn ? Int(left) : .max }

  /// Counts audio that went out.
  @inlinable public mutating func sent(audio bytes: Int) {
    guard isOn else { return }
    precondition(bytes >= 0 && bytes <= Int(left), "audio was sent where an ICY block is due")
    left -= UInt32(truncatingIfNeeded: bytes)
  }

  /// Begins the count towards the next block.
  @inlinable public mutating func sentBlock() {
    precondition(left == 0, "an ICY block was sent before it was due")
    left = interval
  }
}
