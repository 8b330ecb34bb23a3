import Timeshift

/// Notices an upstream that goes on sending, but no audio any more: a byte now and then keeps no connection alive.
///
/// Audio that comes slower than it plays is another matter: each whole packet counts.
struct PacketWatch {
  static let reason = "what comes is no audio any more"

  // Pages of 64 KiB at 12 kbit/s last for 43 s; the packets of MP3 and AAC are below a second.
  private static let oggSeconds = 60.0
  /// More than any packet has: these are tags, or a picture, which take their time.
  private static let packetBytesMax = 64 * 1024
  private static let tagSeconds = 120.0
  /// Times the time-out for data: a connection that fell silent in a packet has that one's reason.
  private static let factor = 1.5

  private let dataTimeout: Double
  private var packetAt = MonotonicTime.now()
  private var bytes = 0
  private var isOgg = false

  /// Seconds.
  init(dataTimeout: Double) { self.dataTimeout = dataTimeout }

  mutating func came(bytes count: Int, hasPackets: Bool, isOgg: Bool, at now: MonotonicTime) {
    self.isOgg = isOgg
    bytes += count
    if hasPackets { (packetAt, bytes) = (now, 0) }
  }

  /// Begins to wait, or goes on after a pause of our own.
  mutating func resume(at now: MonotonicTime) { packetAt = now }

  /// Nobody was there to see one.
  mutating func bear(_ seconds: Double) { packetAt = packetAt.adding(seconds) }

  /// How many seconds more are waited for a packet.
  func left(at now: MonotonicTime) -> Double { patience - now.seconds(since: packetAt) }

  private var patience: Double {
    let least = dataTimeout * Self.factor
    if bytes > Self.packetBytesMax { return max(least, Self.tagSeconds) }
    return isOgg ? max(least, Self.oggSeconds) : least
  }
}
