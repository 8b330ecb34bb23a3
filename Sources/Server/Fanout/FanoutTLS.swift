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

  /// A turn of a listener over TLS. Apart, so that the others pay a look at a flag for it and no more.
  @inline(never)
  func sendEncrypted(
    _ listener: inout Listener, _ reached: Reached, in shard: MountShard, now: Int64
  ) -> Outcome {
    guard let stream = streams[listener.slot] else { return .ended(.clientGone) }
    let written = stream.send(gather.vectors, count: gather.count, scratch: records.bytes)
    let outcome = account(written, &listener, reached, in: shard, now: now)
    guard case .served = outcome, stream.hasUnsent else { return outcome }
    // All of the turn was taken, but a record of it is on its way still.
    listener.flags.insert(.blocked)
    figures.wouldBlocks += 1
    return .blocked
  }

  /// Bytes of the log that its client has not confirmed to have taken. Of an encrypted record that is confirmed in part
  /// its client can use nothing, or has it all.
  func unconfirmed(_ listener: Listener) -> ClosedRange<Int> {
    let unacknowledged = Socket.unacknowledged(listener.fd)
    guard listener.flags.contains(.encrypted), let stream = streams[listener.slot] else {
      return unacknowledged...unacknowledged
    }
    return stream.text(ofUnconfirmed: unacknowledged)
  }
}
