import Timeshift
import Wire

/// Packets that have arrived and are not yet appended, with the titles between them.
///
/// Packets are held while the stitcher decides; for a trial connection the newest ones are held.
struct HeldItems {
  struct Packet {
    var bytes: [UInt8]
    /// The packet; its range is all of `bytes`.
    var packet: PacketScanner.Packet
    var hash: UInt32
    /// The headers of the packet's Ogg stream.
    var headers: OggHeaders?
    /// The title announced with this packet.
    var title: Title?
    /// The packet's place in the log of an upstream that is a relay.
    var place: RelayPlace?
    /// Seconds of audio in front of it that cannot be carried.
    var lost: Double
    /// The bytes held for this packet: its own, and its headers' unless the packet before shares them.
    var cost: Int

    var format: AudioFormat { packet.format }
    var seconds: Double { packet.seconds }
  }

  // 100 s at 320 kbit/s, more than the brake lets through.
  static let bytesMax = 4 << 20

  private(set) var packets: [Packet] = []
  /// The number of packets forgotten in front of the held ones, as known to the log; a trial forgets none.
  private(set) var forgotten = 0
  private(set) var seconds = 0.0
  private var byteCount = 0
  private var pendingTitle: Title?
  private var pendingLoss = 0.0

  var isFull: Bool { byteCount >= Self.bytesMax }

  mutating func append(_ title: Title) {
    pendingTitle = title
  }

  /// Notes audio that cannot be carried in front of the next packet.
  mutating func lose(_ seconds: Double) { pendingLoss += seconds }

  mutating func append(
    _ bytes: Span<UInt8>, _ packet: PacketScanner.Packet, hash: UInt32, headers: OggHeaders?,
    place: RelayPlace? = nil
  ) {
    let isShared = headers == packets.last?.headers
    var packet = packet
    packet.range = 0..<bytes.count
    let held = Packet(
      bytes: bytes.withUnsafeBufferPointer { Array($0) }, packet: packet,
      hash: hash, headers: headers, title: pendingTitle, place: place, lost: pendingLoss,
      cost: bytes.count + (isShared ? 0 : headers?.byteCount ?? 0))
    (pendingTitle, pendingLoss) = (nil, 0)
    packets.append(held)
    seconds += held.seconds
    byteCount += held.cost
  }

  /// The last title among the packets numbered `numbers`, and its distance in bytes from their end.
  func lastTitle(among numbers: Range<Int>) -> (title: Title, bytes: Int)? {
    var bytes = 0
    for packet in packets[places(of: numbers)].reversed() {
      bytes += packet.bytes.count
      if let title = packet.title { return (title, bytes) }
    }
    return nil
  }

  /// Drops the packets numbered `numbers`. The last title among them, if kept, moves to the first packet behind them.
  mutating func forget(_ numbers: Range<Int>, keepsTitle: Bool = true) {
    let title = keepsTitle ? lastTitle(among: numbers)?.title : nil
    let places = places(of: numbers)
    drop(places)
    if places.lowerBound == 0 { forgotten += places.count }
    keep(title, at: places.lowerBound)
  }

  /// Numbers the held packets from 0 on: nothing was in front of them.
  mutating func renumber() { forgotten = 0 }

  /// Drops the packets before `number`, which then is packet 0. The last title among them moves on.
  mutating func begin(at number: Int) {
    forget(0..<number)
    renumber()
  }

  /// The seconds of the held packets before `number`.
  func seconds(before number: Int) -> Double {
    packets[places(of: 0..<number)].reduce(0) { $0 + $1.seconds }
  }

  private func places(of numbers: Range<Int>) -> Range<Int> {
    max(0, numbers.lowerBound - forgotten)..<max(0, numbers.upperBound - forgotten)
  }

  private mutating func drop(_ places: Range<Int>) {
    for packet in packets[places] {
      seconds -= packet.seconds
      byteCount -= packet.cost
    }
    packets.removeSubrange(places)
  }

  /// Moves a title to the packet at `place`, unless that packet has one.
  private mutating func keep(_ title: Title?, at place: Int) {
    guard let title else { return }
    if place == packets.count {
      pendingTitle = pendingTitle ?? title
    } else if packets[place].title == nil {
      packets[place].title = title
    }
  }

  /// Drops the oldest packets, in batches, and keeps the newest `limit` seconds.
  mutating func trim(to limit: Double) {
    guard seconds > 1.5 * limit || isFull else { return }
    var (count, left) = (0, seconds)
    while count < packets.count && (left > limit || (isFull && count < packets.count / 2)) {
      left -= packets[count].seconds
      count += 1
    }
    let title = lastTitle(among: 0..<forgotten + count)?.title
    drop(0..<count)
    keep(title, at: 0)
  }

  /// The title whose packet has not come.
  var titleLeft: Title? { pendingTitle }

  var lastTitle: Title? { pendingTitle ?? packets.last { $0.title != nil }?.title }
}

extension PacketScanner.Packet {
  /// How long what is heard of it is.
  var seconds: Double { Double(heard) / Double(format.sampleRate) }
}
