import Timeshift
import Wire

// Writes cut short, which happen to one listener in hundreds.
extension Fanout {
  /// Hands a listener's rest to `body` at an address that stays during the call.
  func withRest(
    of slot: UInt32, if hasRest: Bool, _ body: (UnsafeRawBufferPointer?) -> Outcome
  ) -> Outcome {
    guard hasRest, let rest = rests[slot] else { return body(nil) }
    return rest.withUnsafeBytes { body($0) }
  }

  /// Most bytes of a rest: a jump's headers and lead-in, several times over.
  private static let restBytesMax = 256 * 1024

  /// Whether more waits for the listener's socket than for any client that reads.
  func isOverfull(_ listener: Listener) -> Bool {
    (rests[listener.slot]?.count ?? 0) > Self.restBytesMax
  }

  /// Puts bytes into the side table, behind what is there already.
  func addRest(_ bytes: [UInt8], of listener: inout Listener) {
    if bytes.isEmpty { return }
    rests[listener.slot, default: []] += bytes
    listener.flags.insert(.hasRest)
  }

  /// Forgets everything that is kept of a listener that has gone.
  func forget(_ listener: inout Listener) {
    dropRest(&listener)
    relinks[listener.slot] = nil
    pauses[listener.slot] = nil
    homes[listener.slot] = nil
    relays[listener.slot] = nil
    streams[listener.slot] = nil
  }

  func dropRest(_ listener: inout Listener) {
    rests[listener.slot] = nil
    listener.flags.remove(.hasRest)
  }

  /// Keeps the rest of a write that was cut short after `sent` bytes. What is left of the packet and of the ICY block
  /// it was cut in is copied to the side table, so that neither eviction nor a jump nor a new title can tear them. The
  /// listener then stands at the packet boundary behind it.
  func keepRest(of listener: inout Listener, sent: Int, in shard: MountShard) {
    var reached = Reached(listener)
    var left = sent
    var index = 0
    while left >= gather.part(index).count {
      left -= gather.part(index).count
      reached.take(gather.kind(index), gather.part(index).count, mark: gather.mark(index))
      index += 1
    }
    if gather.kind(index) == .rest {
      rests[listener.slot] = Array(gather.part(index)[left...])
      return
    }
    dropRest(&listener)
    let rest = cutPacket(from: index, offset: left, &reached, in: shard)
    addRest(rest, of: &listener)
    listener.cursor = reached.cursor
    listener.icy = reached.icy
    listener.titleSent = reached.titleSent
  }

  /// Returns the wire bytes from `offset` in part `start` to the end of the packet it is in.
  private func cutPacket(
    from start: Int, offset: Int, _ reached: inout Reached, in shard: MountShard
  ) -> [UInt8] {
    var rest: [UInt8] = []
    var index = start
    var offset = offset
    if gather.kind(index) == .block, offset > 0 {
      rest += gather.part(index)[offset...]
      reached.take(.block, 0, mark: gather.mark(index))
      index += 1
      offset = 0
    }
    if gather.kind(index) == .audio { reached.take(.audio, offset, mark: 0) }
    // Where the index is not at hand, the rest goes to the turn's end, which is a boundary too.
    let boundary = shard.reader.packetEnd(after: reached.cursor) ?? .max
    while index < gather.count, reached.cursor < boundary {
      let part = gather.part(index)
      let kind = gather.kind(index)
      var count = part.count - offset
      if kind == .audio { count = min(count, Int(clamping: boundary - reached.cursor)) }
      rest += part[offset..<(offset + count)]
      reached.take(kind, count, mark: gather.mark(index))
      index += 1
      offset = 0
    }
    return rest
  }

  /// Ends a turn before its incomplete packet, since the disk has not delivered the rest.
  func backToBoundary(_ reached: inout Reached, of listener: Listener, in shard: MountShard) {
    let reader = shard.reader
    if reader.packetEnd(after: reached.cursor) == reached.cursor { return }
    var start = listener.cursor
    if let media = reader.media(at: reached.cursor), let point = reader.point(atOrBefore: media) {
      start = max(start, point.position)
    }
    // Before a hole that begins with a packet there is nothing to take back.
    guard start <= reached.cursor else { return }
    gather.trim(audioBytes: Int(reached.cursor - start))
    reached = Reached(listener)
    for index in 0..<gather.count {
      reached.take(gather.kind(index), gather.part(index).count, mark: gather.mark(index))
    }
  }
}
