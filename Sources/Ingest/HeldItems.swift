import Timeshift
import Wire

/// Packets that have arrived and are not yet appended, with the titles between them: while the stitcher decides, and
/// of a trial connection the newest ones.
struct HeldItems {
  struct Packet {
    var bytes: [UInt8]
    var samples: Int
    var format: AudioFormat
    var hash: UInt32
    /// Of the Ogg stream it came in.
    var headers: OggHeaders?
    /// Announced with this packet.
    var title: Title?
    /// With the headers, where it does not share them with the packet before.
    var cost: Int

    var seconds: Double { Double(samples) / Double(format.sampleRate) }
  }

  // 100 s at 320 kbit/s, more than the brake lets through.
  static let bytesMax = 4 << 20

  private(set) var packets: [Packet] = []
  /// How many came in front of those and were told to be known: no packet of a trial is.
  private(set) var forgotten = 0
  private(set) var seconds = 0.0
  private var byteCount = 0
  private var pendingTitle: Title?

  var isFull: Bool { byteCount >= Self.bytesMax }

  mutating func append(_ title: Title) {
    pendingTitle = title
  }

  mutating func append(
    _ bytes: Span<UInt8>, samples: Int, format: AudioFormat, headers: OggHeaders?
  ) {
    let isShared = headers == packets.last?.headers
    let packet = Packet(
      bytes: bytes.withUnsafeBufferPointer { Array($0) }, samples: samples, format: format,
      hash: packetHash(bytes), headers: headers, title: pendingTitle,
      cost: bytes.count + (isShared ? 0 : headers?.byteCount ?? 0))
    pendingTitle = nil
    packets.append(packet)
    seconds += packet.seconds
    byteCount += packet.cost
  }

  /// The last title among the first `count` packets that came, and how many bytes before their end it stands.
  func lastTitle(among count: Int) -> (title: Title, bytes: Int)? {
    var bytes = 0
    for packet in packets.prefix(max(0, count - forgotten)).reversed() {
      bytes += packet.bytes.count
      if let title = packet.title { return (title, bytes) }
    }
    return nil
  }

  /// Lets go of the first `count` packets that came; the last title among them belongs to the first packet that stays, if
  /// it is kept.
  mutating func forget(_ count: Int, keepsTitle: Bool = true) {
    let title = keepsTitle ? lastTitle(among: count)?.title : nil
    let dropped = max(0, count - forgotten)
    forgotten += dropped
    drop(dropped)
    keep(title)
  }

  private mutating func drop(_ count: Int) {
    for packet in packets.prefix(count) {
      seconds -= packet.seconds
      byteCount -= packet.cost
    }
    packets.removeFirst(count)
  }

  /// It belongs to what comes next, unless that has one.
  private mutating func keep(_ title: Title?) {
    guard let title else { return }
    if packets.isEmpty {
      pendingTitle = pendingTitle ?? title
    } else if packets[0].title == nil {
      packets[0].title = title
    }
  }

  /// Keeps the newest packets of `limit` seconds, in batches.
  mutating func trim(to limit: Double) {
    guard seconds > 1.5 * limit || isFull else { return }
    var (count, left) = (0, seconds)
    while count < packets.count && (left > limit || (isFull && count < packets.count / 2)) {
      left -= packets[count].seconds
      count += 1
    }
    let title = lastTitle(among: forgotten + count)?.title
    drop(count)
    keep(title)
  }

  /// A title whose packet has not come.
  var titleLeft: Title? { pendingTitle }

  var lastTitle: Title? { pendingTitle ?? packets.last { $0.title != nil }?.title }
}
