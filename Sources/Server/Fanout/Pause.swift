/// A listener's pause by remote control: its place in the log waits.
struct Pause {
  /// Time when the pause began or its silence last started anew, monotonic nanoseconds.
  var since: Int64
  /// Silence that keeps the player alive meanwhile; nil when the listener is held without data.
  var silence: Silence?

  /// Whether the listener came from a fallback, whose frames its decoder has.
  var wasAway = false

  /// Whether the pause is longer than the timeout of a station in seconds, where 0 is none.
  func isOver(at now: Int64, timeout: Double) -> Bool {
    timeout > 0 && Double(now - since) / 1e9 >= timeout
  }

  /// Frames of silence, paced like the station's packets.
  struct Silence {
    var frame: [UInt8]
    /// How long one frame lasts.
    var nanoseconds: Int64
    var sent: Int64 = 0
    /// Most frames sent at once. More than this is not made up for: the socket was full.
    static let dueMax: Int64 = 100

    /// Returns how many frames are due at `now`, and counts them as sent.
    mutating func popDue(at now: Int64, since: Int64) -> Int {
      let due = (now - since) / nanoseconds - sent
      if due <= 0 { return 0 }
      sent += due
      return Int(min(due, Self.dueMax))
    }
  }
}
