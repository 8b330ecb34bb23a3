import Timeshift
import Wire

/// A listener that was paused by remote control: its place in the log waits.
struct Pause {
  /// Monotonic nanoseconds.
  var since: Int64
  /// What keeps its player alive meanwhile; nil: it is held without data.
  var silence: Silence?

  /// It came from a fallback, whose frames its decoder has.
  var wasAway = false

  /// Frames of silence, paced like the station's packets.
  struct Silence {
    var frame: [UInt8]
    /// How long one of them lasts.
    var nanoseconds: Int64
    var sent: Int64 = 0
    /// More than this at once is not made up for: the socket was full.
    static let dueMax: Int64 = 100

    /// How many frames are due at `now`, taken as sent.
    mutating func take(at now: Int64, since: Int64) -> Int {
      let due = (now - since) / nanoseconds - sent
      if due <= 0 { return 0 }
      sent += due
      return Int(min(due, Self.dueMax))
    }
  }
}

// What happens to one listener in hundreds: it is paused.
extension Fanout {
  /// What comes between two turns of a paused listener. It goes out like any rest.
  func addSilence(to listener: inout Listener, in shard: MountShard, now: Int64) {
    guard var pause = pauses[listener.slot], var silence = pause.silence else { return }
    let count = silence.take(at: now, since: pause.since)
    pause.silence = silence
    pauses[listener.slot] = pause
    for _ in 0..<count { addAudio(silence.frame, to: &listener, in: shard) }
  }

  /// Its place waits from `now` on.
  func pause(
    _ listener: inout Listener, as paused: ListenerSettings.Paused, in shard: MountShard, now: Int64
  ) {
    if listener.flags.contains(.paused) { return }
    settlePlayPoint(of: &listener, in: shard, now: now)
    listener.flags.insert(.paused)
    let silence = paused == .silence ? silence(at: listener.cursor, in: shard.reader) : nil
    pauses[listener.slot] = Pause(since: now, silence: silence)
  }

  /// It goes on at the very next packet.
  /// - Returns: false, with everything as it was, where what it goes on with is being fetched.
  func resume(_ listener: inout Listener, in shard: MountShard, now: Int64) -> Bool {
    guard listener.flags.contains(.paused) else { return true }
    guard let leadIn = leadIn(to: listener.cursor, in: shard) else { return false }
    // Also what is due since the last turn: each pause would else take that from what the player has in hand.
    addSilence(to: &listener, in: shard, now: now)
    settlePlayPoint(of: &listener, in: shard, now: now)
    listener.flags.remove(.paused)
    let pause = pauses.removeValue(forKey: listener.slot)
    if pause?.wasAway == true || pause?.silence.map({ $0.sent > 0 }) == true {
      addAudio(leadIn, to: &listener, in: shard)
    }
    return true
  }

  /// It is paused, and gets nothing meanwhile.
  func isHeld(_ slot: UInt32) -> Bool { pauses[slot].map { $0.silence == nil } ?? false }

  /// It is paused no longer, and goes on somewhere else.
  func endPause(of listener: inout Listener) {
    listener.flags.remove(.paused)
    pauses[listener.slot] = nil
  }

  /// Lets a listener's play point stand where it is playing at `now`, and gives a live one a play point.
  func settlePlayPoint(of listener: inout Listener, in shard: MountShard, now: Int64) {
    guard let cursor = shard.reader.media(at: listener.cursor) else { return }
    listener.pace = playing(listener, cursor: cursor, rate: shard.rate, now: now)
  }

  /// Its pace with the play point where it is playing at `now`.
  ///
  /// A live listener plays about its burst behind what it was sent. One that gets silence hears, after what it had in
  /// hand, just that: its play point waits. One that is held plays on until it has nothing left.
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
