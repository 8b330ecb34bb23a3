// Hot for listeners over TLS: runs once per such listener and turn.

import Reactor

/// Memory in which a loop puts the text of a TLS record together.
final class RecordScratch {
  let bytes = UnsafeMutableRawBufferPointer.allocate(
    byteCount: TLSStream.recordBytes, alignment: 16)
  deinit { bytes.deallocate() }
}

extension Fanout {
  /// Sends this listener's bytes through its TLS stream from now on.
  func encrypt(_ listener: inout Listener, by stream: TLSStream) {
    sidecars.change(listener.slot) { $0.tls = stream }
    listener.flags.insert(.encrypted)
  }

  /// Sends a turn to a listener over TLS. The function is apart, so that other listeners pay only a look at a flag.
  @inline(never)
  func sendEncrypted(
    _ listener: inout Listener, _ reached: Reached, in shard: MountShard, now: Int64
  ) -> Outcome {
    guard let stream = sidecars[listener.slot]?.pointee.tls else { return .ended(.clientGone) }
    let written = stream.send(gather.vectors, count: gather.count, scratch: records.bytes)
    let outcome = account(written, &listener, reached, in: shard, now: now)
    guard case .served = outcome, stream.hasUnsent else { return outcome }
    // All of the turn was taken, but a record of it is still on its way.
    listener.flags.insert(.blocked)
    figures.wouldBlocks += 1
    return .blocked
  }

  /// Returns how many bytes of the log the client has not confirmed to have taken. A client can use nothing of an
  /// encrypted record that is confirmed in part, or has all of it; hence the range.
  func unconfirmed(_ listener: Listener) -> ClosedRange<Int> {
    let unacknowledged = Socket.unacknowledged(listener.fd)
    guard listener.flags.contains(.encrypted), let stream = sidecars[listener.slot]?.pointee.tls
    else { return unacknowledged...unacknowledged }
    return stream.text(ofUnconfirmed: unacknowledged)
  }
}
