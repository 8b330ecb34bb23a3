import Reactor
import Timeshift
import Wire

// Steering in time and pauses, which happen to one listener in hundreds.
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
      cursor: LogPoint(position: listener.cursor, media: cursor), playPoint: pace.playPoint,
      heard: heard(listener, pace, in: reader), reach: shard.mount.settings.reach)
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
    sidecars[listener.slot]?.pointee.pause?.silence?.sent = 0
    sidecars[listener.slot]?.pointee.pause?.since = now
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
      + restBytes(of: listener)
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

  // MARK: Pauses

  /// Adds the silence that is due since the last turn of a paused listener. It goes out like any rest.
  func addSilence(to listener: inout Listener, in shard: MountShard, now: Int64) {
    guard let place = sidecars[listener.slot], var pause = place.pointee.pause,
      var silence = pause.silence
    else { return }
    let count = silence.popDue(at: now, since: pause.since)
    pause.silence = silence
    place.pointee.pause = pause
    for _ in 0..<count { addAudio(silence.frame, to: &listener, in: shard) }
  }

  /// Pauses a listener: its place waits from `now` on.
  func pause(
    _ listener: inout Listener, as paused: ListenerSettings.Paused, in shard: MountShard, now: Int64
  ) {
    if listener.flags.contains(.paused) { return }
    settlePlayPoint(of: &listener, in: shard, now: now)
    listener.flags.insert(.paused)
    let silence = paused == .silence ? silence(at: listener.cursor, in: shard.reader) : nil
    sidecars.change(listener.slot) { $0.pause = Pause(since: now, silence: silence) }
  }

  /// Lets a paused listener go on at the very next packet.
  /// - Returns: false, with everything as it was, while what the listener goes on with is being fetched.
  func resume(_ listener: inout Listener, in shard: MountShard, now: Int64) -> Bool {
    guard listener.flags.contains(.paused) else { return true }
    guard let leadIn = leadIn(to: listener.cursor, in: shard) else { return false }
    // Also sends silence that is due since the last turn. Otherwise each pause would take it from what the player has
    // in hand.
    addSilence(to: &listener, in: shard, now: now)
    settlePlayPoint(of: &listener, in: shard, now: now)
    listener.flags.remove(.paused)
    let pause = sidecars[listener.slot]?.pointee.pause
    sidecars.clear(listener.slot) { $0.pause = nil }
    if pause?.wasAway == true || pause?.silence.map({ $0.sent > 0 }) == true {
      addAudio(leadIn, to: &listener, in: shard)
    }
    return true
  }

  /// Whether the listener is paused and gets nothing meanwhile.
  func isHeld(_ slot: UInt32) -> Bool {
    sidecars[slot]?.pointee.pause.map { $0.silence == nil } ?? false
  }

  /// Sets a listener's play point to where it is playing at `now`, and gives a live one a play point.
  func settlePlayPoint(of listener: inout Listener, in shard: MountShard, now: Int64) {
    guard let cursor = shard.reader.media(at: listener.cursor) else { return }
    listener.pace = playing(listener, cursor: cursor, rate: shard.rate, now: now)
  }

  /// Returns a listener's pace with the play point where it is playing at `now`.
  ///
  /// A live listener plays about its burst behind what it was sent. A listener that gets silence hears silence after
  /// what it had in hand, so its play point waits. A held listener plays on until it has nothing left.
  func playing(_ listener: Listener, cursor: MediaTime, rate: Double, now: Int64) -> Pace {
    var pace = listener.pace
    if !pace.isPlaced {
      pace.place(at: cursor - pace.burst, now: now)
      return pace
    }
    if listener.flags.contains(.paused), sidecars[listener.slot]?.pointee.pause?.silence != nil {
      pace.move(to: pace.playPoint, now: now)
      return pace
    }
    pace.advance(to: now, rate: rate)
    pace.wait(at: cursor)
    return pace
  }

  private func silence(at position: UInt64, in reader: LogReader) -> Pause.Silence? {
    guard case .packet(let packet) = reader.silence(before: position) else { return nil }
    let length = MediaTime(samples: packet.samples, rate: packet.format.sampleRate)
    return Pause.Silence(frame: packet.bytes, nanoseconds: length.nanoseconds)
  }
}
