// Hot: runs once per frame per listener.

import Glibc

/// Follows one listener's audio, frame by frame, and counts faults. Pure and incremental: it is given bytes and calls
/// back with stamps.
struct FrameFollower {
  /// The number of frames that were left out.
  private(set) var lost: UInt64 = 0
  /// The number of frames that came again, or late.
  private(set) var repeated: UInt64 = 0
  /// The number of places where no whole frame stood where one should, or where a frame's filler was altered.
  private(set) var torn: UInt64 = 0
  private(set) var frames: UInt64 = 0
  /// The bytes before the first whole frame; 0 when the stream began with a frame's first byte.
  private(set) var bytesBeforeFirst = 0

  /// The number of the frame that must come next; nil before the first frame.
  private var expected: UInt64?
  private var isInStep = true
  private var current = (number: UInt64(0), stamp: Int64(0))
  /// The bytes of the current frame still to come; 0 when a head is due.
  private var left = 0
  /// A head that arrives in pieces.
  private var head = InlineArray<64, UInt8>(repeating: 0)
  private var headCount = 0
  private let comparesFiller: Bool

  /// - Parameter comparesFiller: Whether to check every byte, not only the stamps.
  init(comparesFiller: Bool) { self.comparesFiller = comparesFiller }

  /// Whether the next byte should be the first of a frame.
  var isAtFrame: Bool { left == 0 && headCount == 0 }

  /// Reads audio.
  ///
  /// - Parameter finished: Called with each frame's stamp when the frame's last byte has arrived.
  @inline(__always)
  mutating func consume(_ bytes: UnsafeRawBufferPointer, finished: (Int64) -> Void) {
    var index = 0
    while index < bytes.count {
      if left > 0 {
        let end = min(bytes.count, index + left)
        if comparesFiller { compare(UnsafeRawBufferPointer(rebasing: bytes[index..<end])) }
        left -= end - index
        index = end
        if left == 0 { finished(current.stamp) }
      } else if headCount == 0 && bytes.count - index >= StampedFrame.headBytes {
        index += begin(bytes.baseAddress! + index)
      } else {
        collect(bytes[index])
        index += 1
      }
    }
  }

  /// Begins a frame, and returns the number of bytes used: those of the head, or one where no head stands.
  @inline(__always)
  private mutating func begin(_ pointer: UnsafeRawPointer) -> Int {
    guard let frame = StampedFrame(pointer) else {
      fallOutOfStep()
      return 1
    }
    follow(frame)
    return StampedFrame.headBytes
  }

  @inline(__always)
  private mutating func follow(_ frame: StampedFrame) {
    if let expected {
      if frame.number < expected {
        repeated += 1
      } else {
        lost += frame.number - expected
        self.expected = frame.number + 1
      }
    } else {
      expected = frame.number + 1
    }
    frames += 1
    isInStep = true
    current = (frame.number, frame.stamp)
    left = frame.bytes - StampedFrame.headBytes
  }

  private mutating func fallOutOfStep() {
    if expected == nil {
      bytesBeforeFirst += 1
    } else if isInStep {
      torn += 1
      isInStep = false
    }
  }

  private mutating func collect(_ byte: UInt8) {
    head[headCount] = byte
    headCount += 1
    guard headCount == StampedFrame.headBytes else { return }
    let frame = withUnsafeBytes(of: &head) { StampedFrame($0.baseAddress!) }
    if let frame {
      headCount = 0
      follow(frame)
    } else {
      fallOutOfStep()
      for position in 1..<headCount { head[position - 1] = head[position] }
      headCount -= 1
    }
  }

  private mutating func compare(_ filler: UnsafeRawBufferPointer) {
    let byte = UInt8(current.number & 0x7f)
    if !filler.allSatisfy({ $0 == byte }) { torn += 1 }
  }
}
