import TestSupport
import Timeshift

/// A reader of a log, turn by turn, as a listener is one: it takes what is there, waits, and steps over holes.
final class PastReader {
  let reader: LogReader
  private(set) var position: UInt64
  /// Turns in which it got something.
  private(set) var fed = 0
  /// Every byte was what was written there.
  private(set) var isKnown = true

  init(_ log: PacketLog, at position: UInt64) {
    reader = LogReader(log)
    self.position = position
  }

  func turn() {
    reader.refresh()
    withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 16) { scratch in
      switch reader.read(at: position, upTo: .max, limit: scratch.count, scratch: scratch) {
      case .bytes(let bytes):
        isKnown = isKnown && areKnown(Array(bytes), from: position)
        position += UInt64(bytes.count)
        fed += 1
      case .hole(let next), .overrun(let next): position = next.position
      case .loading, .liveEdge: break
      }
    }
  }
}
