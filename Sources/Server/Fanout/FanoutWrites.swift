import Glibc
import Reactor
import Timeshift
import Wire

// What sockets take: writes cut short, which happen to one listener in hundreds, and the kernel's buffers.
extension Fanout {
  /// Hands a listener's rest to `body` at an address that stays during the call.
  func withRest(
    of slot: UInt32, if hasRest: Bool, _ body: (UnsafeRawBufferPointer?) -> Outcome
  ) -> Outcome {
    guard hasRest, let rest = lines[slot]?.pointee.rest else { return body(nil) }
    return rest.withUnsafeBytes { body($0) }
  }

  /// Most bytes of a rest: a jump's headers and lead-in, several times over.
  private static let restBytesMax = 256 * 1024

  /// Whether more waits for the listener's socket than for any client that reads.
  func isOverfull(_ listener: Listener) -> Bool {
    restBytes(of: listener) > Self.restBytesMax
  }

  func restBytes(of listener: Listener) -> Int {
    lines[listener.slot]?.pointee.rest.count ?? 0
  }

  /// Adds bytes to what goes out before anything else, behind what is there already.
  func addRest(_ bytes: [UInt8], of listener: inout Listener) {
    if bytes.isEmpty { return }
    lines.change(listener.slot) { $0.rest += bytes }
    listener.flags.insert(.hasRest)
  }

  /// Replaces what goes out before anything else.
  func setRest(_ bytes: [UInt8], of listener: inout Listener) {
    lines.change(listener.slot) { $0.rest = bytes }
    if bytes.isEmpty { listener.flags.remove(.hasRest) } else { listener.flags.insert(.hasRest) }
  }

  /// Keeps the rest of a write that was cut short after `sent` bytes. The unsent rest of the packet and of its ICY
  /// block is copied to its `LineState`. So neither eviction nor a jump nor a new title can tear them. The listener then
  /// stands at the packet boundary behind it.
  func keepRest(of listener: inout Listener, sent: Int, in shard: MountShard) {
    var reached = Reached(listener)
    var left = sent
    var index = 0
    while left >= gather.part(index).count {
      left -= gather.part(index).count
      reached.advance(gather.kind(index), gather.part(index).count, mark: gather.mark(index))
      index += 1
    }
    if gather.kind(index) == .rest {
      return setRest(Array(gather.part(index)[left...]), of: &listener)
    }
    let rest = cutPacket(from: index, offset: left, &reached, in: shard)
    setRest(rest, of: &listener)
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
      reached.advance(.block, 0, mark: gather.mark(index))
      index += 1
      offset = 0
    }
    if gather.kind(index) == .audio { reached.advance(.audio, offset, mark: 0) }
    // Where the index is not at hand, the rest goes to the turn's end, which is a boundary too.
    let boundary = shard.reader.packetEnd(after: reached.cursor) ?? .max
    while index < gather.count, reached.cursor < boundary {
      let part = gather.part(index)
      let kind = gather.kind(index)
      var count = part.count - offset
      if kind == .audio { count = min(count, Int(clamping: boundary - reached.cursor)) }
      rest += part[offset..<(offset + count)]
      reached.advance(kind, count, mark: gather.mark(index))
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
      reached.advance(gather.kind(index), gather.part(index).count, mark: gather.mark(index))
    }
  }

  // MARK: Buffers

  /// Seconds of audio that may be on their way to a listener: more than the longest way there and back.
  private static let wayMax = 0.25
  /// Most kernel memory of a listener in bytes: FLAC of 24 bit at 192 kHz in stereo has 9 Mbit/s.
  private static let sendBufferBytesMax = 256.0 * 1024

  /// Lets the kernel hold more for a listener of a lossless station, whose audio would not keep up on a long line.
  func widenSocket(of listener: Listener, in shard: MountShard) {
    let (oldest, edge) = (shard.reader.oldest, shard.reader.edge)
    let seconds = (edge.media - oldest.media).seconds
    guard seconds > 0, edge.position > oldest.position else { return }
    let bytes = Double(edge.position - oldest.position) / seconds * Self.wayMax
    guard bytes > Double(ServerConfiguration.sendBufferBytes) else { return }
    Socket.setOption(
      listener.fd, SOL_SOCKET, SO_SNDBUF, Int32(bounded: min(bytes, Self.sendBufferBytesMax)))
  }
}
