import Timeshift
import Wire

/// A listener's pause by remote control: its place in the log waits.
struct Pause {
  /// Time when the pause began or its silence last started anew, monotonic nanoseconds.
  var since: Int64
  /// Silence that keeps the player alive meanwhile; nil when the listener is held without data.
  var silence: Silence?

  /// Whether the listener came from a fallback, whose frames its decoder has.
  var wasAway = false

  /// Frames of silence, paced like the station's packets.
  struct Silence {
    var frame: [UInt8]
    /// How long one frame lasts.
    var nanoseconds: Int64
    var sent: Int64 = 0
    /// Most frames sent at once. More than this is not made up for: the socket was full.
    static let dueMax: Int64 = 100

    /// Returns how many frames are due at `now`, and counts them as sent.
    mutating func take(at now: Int64, since: Int64) -> Int {
      let due = (now - since) / nanoseconds - sent
      if due <= 0 { return 0 }
      sent += due
      return Int(min(due, Self.dueMax))
    }
  }
}

// Pauses, which happen to one listener in hundreds.
extension Fanout {
  /// Adds the silence that is due since the last turn of a paused listener. It goes out like any rest.
  func addSilence(to listener: inout Listener, in shard: MountShard, now: Int64) {
    guard var pause = pauses[listener.slot], var silence = pause.silence else { return }
    let count = silence.take(at: now, since: pause.since)
    pause.silence = silence
    pauses[listener.slot] = pause
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
    pauses[listener.slot] = Pause(since: now, silence: silence)
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
    let pause = pauses.removeValue(forKey: listener.slot)
    if pause?.wasAway == true || pause?.silence.map({ $0.sent > 0 }) == true {
      addAudio(leadIn, to: &listener, in: shard)
    }
    return true
  }

  /// Whether the listener is paused and gets nothing meanwhile.
  func isHeld(_ slot: UInt32) -> Bool { pauses[slot].map { $0.silence == nil } ?? false }

  /// Ends the pause of a listener that goes on somewhere else.
  func endPause(of listener: inout Listener) {
    listener.flags.remove(.paused)
    pauses[listener.slot] = nil
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
    if listener.flags.contains(.paused), let pause = pauses[listener.slot], pause.silence != nil {
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
