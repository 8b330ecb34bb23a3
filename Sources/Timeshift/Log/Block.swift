import CLinux
import Synchronization

/// One packet of a block, as the writer left it.
struct PacketEntry {
  /// When it begins on the station's media axis, in flicks.
  var start: Int64
  /// Its length in flicks; below 6 s.
  var duration: UInt32
  /// CRC32C of its bytes.
  var hash: UInt32
  /// Where it begins in the block.
  var offset: UInt32
  var bytes: UInt32

  var end: Int64 { start + Int64(duration) }
}

/// A piece of the window: raw memory that is only ever added to, and a table of its packets.
///
/// The one writer adds packets behind what is published; readers look only at what is. It ends when the last list
/// that holds it lets go.
final class Block: @unchecked Sendable {
  // Unchecked: bytes and entries below `published` never change, and it is released after them.

  let start: LogPoint
  let base: UnsafeMutableRawPointer
  let entries: UnsafeMutablePointer<PacketEntry>
  let capacity: Int
  let entriesMax: Int
  /// How many packets readers may look at.
  let published = Atomic<Int>(0)

  /// The writer's own view.
  private(set) var used = 0
  private(set) var count = 0

  /// `packetBytes` is a guess from the first packet: the table has room for packets half as long, and a block whose
  /// table is full is full.
  init(start: LogPoint, capacity: Int, packetBytes: Int) {
    self.start = start
    self.capacity = capacity
    entriesMax = min(4096, max(64, 2 * capacity / max(1, packetBytes)))
    base = .allocate(byteCount: capacity, alignment: 16)
    entries = .allocate(capacity: entriesMax)
  }

  deinit {
    base.deallocate()
    entries.deallocate()
  }

  func fits(_ bytes: Int) -> Bool { used + bytes <= capacity && count < entriesMax }

  func append(_ packet: Span<UInt8>, at media: MediaTime, lasting duration: MediaTime) {
    precondition(fits(packet.count), "a packet is written only into a block that has room")
    let place = base + used
    packet.withUnsafeBytes { place.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    entries[count] = PacketEntry(
      start: media.stored, duration: UInt32(duration.stored),
      hash: packetHash(place, packet.count), offset: UInt32(used),
      bytes: UInt32(packet.count))
    used += packet.count
    count += 1
  }

  func publish() { published.store(count, ordering: .releasing) }

  /// How many published packets end at or before `position`.
  func packets(upTo position: UInt64) -> Int {
    var count = published.load(ordering: .acquiring)
    while count > 0 {
      let last = entries[count - 1]
      if start.position + UInt64(last.offset + last.bytes) <= position { break }
      count -= 1
    }
    return count
  }
}
