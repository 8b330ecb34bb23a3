import Reactor
import Timeshift
import Wire

// Steering in time, which happens to one listener in thousands.
extension Fanout {
  enum Steered {
    case done
    /// An index is being fetched; ask again.
    case loading
    case otherCodec
  }

  /// Nearer to the edge than this is live: the packets for the first one's lead-in must be there.
  static let landing = MediaTime(seconds: 0.5)

  /// Moves a listener within its station's window, clamped to it. A paused listener stays paused.
  ///
  /// The player plays first what it has in hand. Delivery goes on as far ahead of the play point as it was, so that the
  /// player does not get more and more in hand.
  func steer(
    _ listener: inout Listener, _ steering: Steering, in shard: MountShard, now: Int64
  ) -> Steered {
    let reader = shard.reader
    guard let cursor = reader.media(at: listener.cursor) else { return .loading }
    // Sends silence that is already due; the jump restarts the count.
    if listener.flags.contains(.paused) { addSilence(to: &listener, in: shard, now: now) }
    let pace = playing(listener, cursor: cursor, rate: shard.rate, now: now)
    // Never more than the burst: otherwise the listener would wait for as long as a hole in front of it lasts.
    let inHand = min(pace.burst, max(.zero, cursor - pace.playPoint))
    let place = SteeringPlace(
      cursor: cursor, playPoint: pace.playPoint, heard: heard(listener, pace, in: reader),
      reach: shard.mount.settings.reach)
    guard let target = place.target(of: steering, in: reader) else { return .loading }
    guard let point = target.point else { return goLive(&listener, in: shard, now: now) }
    guard reader.format(at: point.position)?.codec == listener.codec else { return .otherCodec }
    // A jump to where the listener already stands would only cost a frame.
    if point.position != listener.cursor {
      guard isAtHand(point.position, in: shard) else { return .loading }
      jump(&listener, to: point, in: shard)
    }
    listener.pace.place(at: point.media - inHand, now: now)
    restartSilence(of: listener, now: now)
    return .done
  }

  private func goLive(
    _ listener: inout Listener, in shard: MountShard, now: Int64
  ) -> Steered {
    let reader = shard.reader
    let isThere = reader.edge.media - (reader.media(at: listener.cursor) ?? .zero) <= Self.landing
    if !isThere {
      guard let point = reader.point(atOrBefore: reader.edge.media - Self.landing) else {
        return .loading
      }
      guard reader.format(at: point.position)?.codec == listener.codec else { return .otherCodec }
      jump(&listener, to: point, in: shard)
      listener.pace.place(at: point.media - listener.pace.burst, now: now)
      restartSilence(of: listener, now: now)
    }
    if !listener.flags.contains(.paused) { listener.pace.becomeLive() }
    return .done
  }

  /// Restarts the silence of a paused listener: its jump came with frames of its own, and silence goes on behind them.
  private func restartSilence(of listener: Listener, now: Int64) {
    guard listener.flags.contains(.paused) else { return }
    pauses[listener.slot]?.silence?.sent = 0
    pauses[listener.slot]?.since = now
  }

  /// Returns the next packet after the last one that the client's side has taken. It may be earlier, never later.
  ///
  /// Bytes still in the kernel, and a cut packet, do not count as taken. ICY blocks are taken back as they were put in.
  ///
  /// - Parameter atMost: whether what the client may or may not have taken counts as taken.
  func accepted(_ listener: Listener, atMost: Bool = false, in shard: MountShard) -> UInt64 {
    let unconfirmed = unconfirmed(listener)
    var pending =
      (atMost ? unconfirmed.lowerBound : unconfirmed.upperBound)
      + (rests[listener.slot]?.count ?? 0)
    var position = listener.cursor
    var sinceBlock = listener.icy.isOn ? listener.icy.metaint - listener.icy.untilBlock : .max
    while pending > 0, position > listener.runStart {
      let step = min(pending, sinceBlock, Int(position - listener.runStart))
      position -= UInt64(step)
      pending -= step
      if step < sinceBlock { break }
      pending -= blockBytes(at: position, listener, in: shard)
      sinceBlock = listener.icy.metaint
    }
    guard let media = shard.reader.media(at: position),
      let point = shard.reader.point(atOrBefore: media)
    else { return position }
    return max(point.position, listener.runStart)
  }

  private func blockBytes(at position: UInt64, _ listener: Listener, in shard: MountShard) -> Int {
    let mark = shard.reader.titlePosition(at: position)
    let before = position &- UInt64(listener.icy.metaint)
    if before >= listener.runStart, before < position,
      shard.reader.titlePosition(at: before) == mark
    {
      return ICYBlock.empty.count
    }
    return shard.blocks.block(mark: mark, in: shard.reader).count
  }

  /// Returns the byte that is playing; nil while an index is being fetched. Behind a jump, the byte is never before the
  /// jump's target.
  func heard(_ listener: Listener, _ pace: Pace, in reader: LogReader) -> UInt64? {
    if let point = reader.point(atOrBefore: pace.playPoint) {
      return max(point.position, listener.runStart)
    }
    // Right behind a jump the play point is before the target, where no index is needed.
    guard let start = reader.media(at: listener.runStart), pace.playPoint <= start else {
      return nil
    }
    return listener.runStart
  }
}

/// Where a listener, or a session without a connection, is in its station's log.
struct SteeringPlace {
  /// Media time of the next packet that the listener will get.
  var cursor: MediaTime
  var playPoint: MediaTime
  /// Byte that is playing; nil while an index is being fetched.
  var heard: UInt64?
  /// How far behind live the listener may go; nil for as far as the window goes.
  var reach: Reach?

  /// A packet boundary, or the live edge when `point` is nil.
  struct Target {
    var point: LogPoint?
  }

  /// Returns where steering leads. Nil while an index is being fetched; ask again. Pausing and resuming leave the place
  /// as it is.
  func target(of steering: Steering, in reader: LogReader) -> Target? {
    switch steering {
    case .pause, .resume: at(reader.point(atOrBefore: cursor), in: reader)
    case .rewind(let time): at(reader.point(atOrBefore: cursor - time), in: reader)
    case .forward(let time): at(reader.point(atOrBefore: cursor + time), in: reader)
    case .behind(let time):
      at(reader.point(atOrBefore: reader.edge.media - time + (cursor - playPoint)), in: reader)
    case .at(let wall): at(reader.point(at: wall), in: reader)
    case .live: Target()
    case .track(let place): heard.flatMap { track(place, from: $0, in: reader) }
    }
  }

  private func at(_ point: LogPoint?, in reader: LogReader) -> Target? {
    guard let point = point.map(reader.pastHole), let oldest = reader.oldest(within: reach) else {
      return nil
    }
    let found = point.media < oldest.media ? oldest : point
    return Target(point: reader.edge.media - found.media <= Fanout.landing ? nil : found)
  }

  private func track(
    _ place: TrackPlace, from heard: UInt64, in reader: LogReader
  ) -> Target? {
    let mark: UInt64
    switch place {
    case .start: mark = reader.titlePosition(at: heard)
    case .previous:
      let start = reader.titlePosition(at: heard)
      mark = start == .max || start == 0 ? .max : reader.titlePosition(at: start - 1)
    case .next:
      mark = reader.nextTitlePosition(after: heard)
      // Behind the last title is what is live.
      if mark == .max { return Target() }
    }
    // Before the first title is what was there before any title.
    if mark == .max || mark < reader.oldest.position { return at(reader.oldest, in: reader) }
    guard let media = reader.media(at: mark) else { return nil }
    return at(LogPoint(position: mark, media: media), in: reader)
  }
}
