import Timeshift
import Wire

// Jumps, which happen to one listener in thousands: its stream goes on at another place.
extension Fanout {
  /// An overrun listener lands this share of the window ahead of the oldest packet. On the oldest packet it would be
  /// overrun again when the next segment goes.
  static let landingShare = 0.1
  static let landingMax = MediaTime(seconds: 300)

  /// Handles a turn for which nothing could be collected: goes round a hole, or on from the oldest audio left.
  func overcome(
    _ stop: Stop, _ listener: inout Listener, in shard: MountShard, now: Int64
  ) -> Outcome {
    switch stop {
    case .complete: return .idle
    case .loading: break
    case .hole(let next):
      guard isAtHand(next.position, in: shard) else { break }
      // The audio in the player's hand is still ahead of its play point. What its burst lacks of that comes from behind
      // the hole.
      let cursor = shard.reader.media(ofBoundary: listener.cursor) ?? next.media
      let ahead = min(listener.pace.burst, max(.zero, cursor - listener.pace.playPoint))
      jump(&listener, to: next, in: shard)
      listener.pace.move(to: next.media - ahead, now: now)
    case .overrun(let oldest):
      let window = shard.reader.edge.media - oldest.media
      let ahead = min(MediaTime(seconds: window.seconds * Self.landingShare), Self.landingMax)
      if let point = shard.reader.point(atOrBefore: oldest.media + ahead),
        isAtHand(point.position, in: shard)
      {
        jump(&listener, to: point, in: shard)
        listener.pace.move(to: point.media, now: now)
        figures.overruns += 1
        overrun.insert(listener.slot)
      }
    }
    return .waiting
  }

  /// Moves a listener forward to where it should be: a placed one to its play point, a live one to the edge less its
  /// burst.
  func skip(_ listener: inout Listener, in shard: MountShard, now: Int64) {
    let target =
      listener.pace.isPlaced
      ? listener.pace.playPoint : shard.reader.edge.media - listener.pace.burst
    guard let point = shard.reader.point(atOrBefore: target), point.position > listener.cursor,
      isAtHand(point.position, in: shard)
    else { return }
    jump(&listener, to: point, in: shard)
    listener.pace.move(to: point.media, now: now)
    figures.skips += 1
  }

  /// Lets a listener go on at `point`. In front go frames that carry the bit reservoir its first packet needs (as far
  /// as they are at hand), or the headers of a new link. The ICY count runs on; the next block carries the title of the
  /// new place.
  ///
  /// - Parameter old: shard that the listener comes from; nil where it stays in its shard.
  func jump(
    _ listener: inout Listener, to point: LogPoint, in shard: MountShard,
    from old: MountShard? = nil
  ) {
    sidecars[listener.slot]?.pointee.run?.end(
      at: (old ?? shard).reader.media(at: listener.cursor))
    defer { sidecars[listener.slot]?.pointee.run?.goOn(at: point, now: Moment.now().wall) }
    if point.position < listener.cursor { listener.flags.insert(.wentBack) }
    listener.cursor = point.position
    listener.runStart = point.position
    // At a place with another codec the next turn ends the listener, as at the boundary itself.
    guard shard.reader.format(at: point.position)?.codec == listener.codec else {
      listener.link = Listener.noLink
      return
    }
    listener.link = shard.reader.formatPosition(at: point.position)
    if listener.codec.isOgg { return startLink(&listener, freshSerial(), in: shard) }
    addAudio(leadIn(to: point.position, in: shard) ?? [], to: &listener, in: shard)
  }

  /// Adds audio that is not in the log, to go out before anything else.
  func addAudio(_ audio: [UInt8], to listener: inout Listener, in shard: MountShard) {
    if audio.isEmpty { return }
    sidecars[listener.slot]?.pointee.run?.lengthen(by: audio)
    var reached = Reached(listener)
    addRest(interleaved(audio, &reached, in: shard), of: &listener)
    listener.icy = reached.icy
    listener.titleSent = reached.titleSent
  }

  /// Leads a listener over a gap; nil when it is over. A relay is ended at a gap that it was not told of: it asks for
  /// what follows, and the answer's head says how long the gap is.
  func enterGap(_ listener: inout Listener, in shard: MountShard) -> Outcome? {
    guard let sidecar = sidecars[listener.slot], let told = sidecar.pointee.toldGaps,
      sidecar.pointee.home == nil, listener.cursor >= told,
      shard.reader.gapMarks(in: listener.cursor..<listener.cursor + 1).contains(where: {
        $0.seconds > 0
      })
    else { return crossGap(&listener, in: shard) ? nil : .waiting }
    guard listener.flags.contains(.hasRest) else { return .ended(.relayGap) }
    listener.flags.insert(.ending)
    return nil
  }

  /// Moves a listener over a gap. The first packets behind it reach back into a bit reservoir that is lost. They are
  /// left out, and the first packet whose reservoir is there follows on frames that carry it.
  /// - Returns: false when that packet has not come yet, or is being fetched.
  func crossGap(_ listener: inout Listener, in shard: MountShard) -> Bool {
    let reader = shard.reader
    guard reader.format(at: listener.cursor)?.codec == .mp3 else { return true }
    var position = listener.cursor
    var media = reader.media(at: position)
    var preceding: [[UInt8]] = []
    while preceding.count < MPEGLeadIn.precedingMax {
      guard let start = media, let packet = packet(at: position, in: reader) else { return false }
      // Audio that cannot be read is a hole behind the gap, and is stepped over as one.
      if packet.isEmpty { return position < reader.edge.position }
      if MPEGLeadIn.frames(for: packet.span, preceding: preceding) != nil {
        if !preceding.isEmpty {
          jump(&listener, to: LogPoint(position: position, media: start), in: shard)
        }
        return true
      }
      preceding.append(packet)
      position += UInt64(packet.count)
      media = reader.media(at: position)
    }
    // No packet of this stream is ever whole by itself, so the listener goes on as it is.
    return true
  }

  /// Whether everything is there that a jump to this place needs; if not, it is being fetched.
  func isAtHand(_ position: UInt64, in shard: MountShard) -> Bool {
    leadIn(to: position, in: shard) != nil
  }

  /// Returns frames that carry the bit reservoir of the packet at `position`; empty where none is needed, or none can
  /// be made. Nil while the packets they are made of are being fetched.
  func leadIn(to position: UInt64, in shard: MountShard) -> [UInt8]? {
    let reader = shard.reader
    guard reader.format(at: position)?.codec == .mp3 else { return [] }
    guard let packet = packet(at: position, in: reader) else { return nil }
    guard !packet.isEmpty, MPEGLeadIn.reservoirNeed(of: packet.span) > 0 else { return [] }
    guard let preceding = reader.packets(before: position, count: MPEGLeadIn.precedingMax) else {
      return nil
    }
    return MPEGLeadIn.frames(for: packet.span, preceding: preceding) ?? []
  }

  /// Returns the packet at `position`; empty when there is none, nil while it is being fetched.
  private func packet(at position: UInt64, in reader: LogReader) -> [UInt8]? {
    // Looks one byte in, so that the end is this packet's and not the boundary itself.
    reader.packetEnd(after: position + 1).flatMap { end in
      end > position ? reader.copy(from: position, to: end) : []
    }
  }

  /// Returns audio that is not in the log, with the ICY blocks that fall into it.
  private func interleaved(
    _ audio: [UInt8], _ reached: inout Reached, in shard: MountShard
  ) -> [UInt8] {
    var wire: [UInt8] = []
    var rest = audio[...]
    while !rest.isEmpty {
      if reached.icy.untilBlock == 0 {
        let mark = shard.reader.titlePosition(at: reached.cursor)
        wire +=
          mark == reached.titleSent
          ? ICYBlock.empty : Array(shard.blocks.block(mark: mark, in: shard.reader))
        reached.titleSent = mark
        reached.icy.sentBlock()
      }
      let count = min(rest.count, reached.icy.untilBlock)
      wire += rest.prefix(count)
      rest = rest.dropFirst(count)
      reached.icy.sent(audio: count)
    }
    return wire
  }
}
