// Hot for listeners over TLS: runs once per such listener and turn.

import Reactor

/// Where a loop puts the text of a TLS record together.
final class RecordScratch {
  let bytes = UnsafeMutableRawBufferPointer.allocate(
    byteCount: TLSStream.recordBytes, alignment: 16)
  deinit { bytes.deallocate() }
}

extension Fanout {
  /// From now on this listener's bytes go out by its stream.
  func encrypt(_ listener: inout Listener, by stream: TLSStream) {
    streams[listener.slot] = stream
    listener.flags.insert(.encrypted)
  }

  // Not with the listener itself: a copy of it costs as much as a fifth of a turn.
  @inline(never)
  func sendEncrypted(_ slot: UInt32) -> Transferred {
    guard let stream = streams[slot] else { return .ended }
    return stream.send(gather.vectors, count: gather.count, scratch: records.bytes)
  }

  /// All of a turn was taken; a record of it may be on its way still.
  @inline(never)
  func withUnsent(_ listener: inout Listener, _ outcome: Outcome) -> Outcome {
    guard case .served = outcome, streams[listener.slot]?.hasUnsent == true else { return outcome }
    listener.flags.insert(.blocked)
    figures.wouldBlocks += 1
    return .blocked
  }

  /// Bytes of the log that its client has not confirmed to have taken; never too few, since a record is longer than its
  /// text.
  func unconfirmed(_ listener: Listener) -> Int {
    let unsent = listener.flags.contains(.encrypted) ? streams[listener.slot]?.unsentBytes ?? 0 : 0
    return Socket.unacknowledged(listener.fd) + unsent
  }
}
