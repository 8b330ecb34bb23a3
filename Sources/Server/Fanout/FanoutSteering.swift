import Reactor
import Timeshift
import Wire

// What happens to one listener in thousands: somebody moves it in time.
extension Fanout {
  enum Steered {
    case done
    /// An index is being fetched; ask again.
    case loading
    case otherCodec
  }

  /// Nearer to the edge than this is live: the packets must be there that the first one's lead-in is made of.
  static let landing = MediaTime(seconds: 0.5)

  /// Moves a listener within its station's window, clamped to it. A paused one stays paused.
  ///
  /// What the player has in hand it plays first, so that it does not get more and more of it: delivery goes on as far
  /// ahead of the play point as it was.
  func steer(
    _ listener: inout Listener, _ steering: Steering, in shard: MountShard, now: Int64
  ) -> Steered {
    let reader = shard.reader
    guard let cursor = reader.media(at: listener.cursor) else { return .loading }
    // What is due since the last turn: the jump begins a count of its own.
    if listener.flags.contains(.paused) { addSilence(to: &listener, in: shard, now: now) }
    let pace = playing(listener, cursor: cursor, rate: shard.rate, now: now)
    // Never more than is given ahead, or what a hole in front of it lasts would be waited for.
    let inHand = min(pace.burst, max(.zero, cursor - pace.playPoint))
    let place = SteeringPlace(
      cursor: cursor, playPoint: pace.playPoint, heard: heard(listener, pace, in: reader),
      reach: shard.mount.settings.reach)
    guard let target = place.target(of: steering, in: reader) else { return .loading }
    guard let point = target.point else { return goLive(&listener, in: shard, now: now) }
    guard reader.format(at: point.position)?.codec == listener.codec else { return .otherCodec }
    // Also where it is already: a jump to where it stands would only cost a frame.
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

  /// A paused listener's jump came with frames of its own; silence goes on behind them.
  private func restartSilence(of listener: Listener, now: Int64) {
    guard listener.flags.contains(.paused) else { return }
    pauses[listener.slot]?.silence?.sent = 0
    pauses[listener.slot]?.since = now
  }

  /// The next packet after the last one that the client's side has taken. What still lies unsent in the kernel, and
  /// what was cut off, is taken back, block by block as it was put in; never too little.
  ///
  /// - Parameter atMost: of what it may have taken or not, it has.
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

  /// The byte that is playing; nil while an index is being fetched. Behind a jump nothing in front of its target is.
  func heard(_ listener: Listener, _ pace: Pace, in reader: LogReader) -> UInt64? {
    if let point = reader.point(atOrBefore: pace.playPoint) {
      return max(point.position, listener.runStart)
    }
    // Right behind a jump the play point is in front of it, where nobody needs to look.
    guard let start = reader.media(at: listener.runStart), pace.playPoint <= start else {
      return nil
    }
    return listener.runStart
  }
}

/// Where a listener, or a session nobody is connected to, is in its station's log.
struct SteeringPlace {
  /// Of the next packet it will get.
  var cursor: MediaTime
  var playPoint: MediaTime
  /// The byte that is playing; nil while an index is being fetched.
  var heard: UInt64?
  /// How far behind live it may go; nil: as far as the window goes.
  var reach: Reach?

  /// A packet boundary, or the live edge (`point` is nil).
  struct Target {
    var point: LogPoint?
  }

  /// nil: an index is being fetched; ask again. Pausing and resuming leave the place as it is.
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
      // Behind the last one is what is live.
      if mark == .max { return Target() }
    }
    // In front of the first one is what was there before titles were.
    if mark == .max || mark < reader.oldest.position { return at(reader.oldest, in: reader) }
    guard let media = reader.media(at: mark) else { return nil }
    return at(LogPoint(position: mark, media: media), in: reader)
  }
}
