import Timeshift

/// Notices an upstream that goes on sending, but no audio: a byte now and then keeps no connection alive.
///
/// Audio slower than it plays is another matter: each whole packet counts.
struct PacketWatch {
  static let reason = "the upstream sends no audio any more"

  // Seconds without a packet of Ogg. Pages of 64 KiB at 12 kbit/s last 43 s; packets of MP3 and AAC are below a second.
  private static let oggSeconds = 60.0
  /// More bytes than any packet has are tags or a picture, which take their time.
  private static let packetBytesMax = 64 * 1024
  private static let tagSeconds = 120.0
  /// The patience as a multiple of the data time-out: a connection that falls silent inside a packet ends by that
  /// time-out.
  private static let factor = 1.5

  private let dataTimeout: Double
  private var packetAt = MonotonicTime.now()
  private var bytes = 0
  private var isOgg = false

  /// - Parameter dataTimeout: the time-out for data, in seconds.
  init(dataTimeout: Double) { self.dataTimeout = dataTimeout }

  mutating func came(bytes count: Int, hasPackets: Bool, isOgg: Bool, at now: MonotonicTime) {
    self.isOgg = isOgg
    bytes += count
    if hasPackets { (packetAt, bytes) = (now, 0) }
  }

  /// Begins to wait for a packet, or goes on after a pause of the relay.
  mutating func resume(at now: MonotonicTime) { packetAt = now }

  /// Extends the patience by seconds in which the relay stood still.
  mutating func bear(_ seconds: Double) { packetAt = packetAt.adding(seconds) }

  /// The seconds left until a packet must come.
  func left(at now: MonotonicTime) -> Double { patience - now.seconds(since: packetAt) }

  private var patience: Double {
    let least = dataTimeout * Self.factor
    if bytes > Self.packetBytesMax { return max(least, Self.tagSeconds) }
    return isOgg ? max(least, Self.oggSeconds) : least
  }
}
