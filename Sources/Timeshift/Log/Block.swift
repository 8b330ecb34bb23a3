import CLinux
import Synchronization

/// One packet of a block, as the writer recorded it.
struct PacketEntry {
  /// The packet's beginning on the station's media axis, in flicks.
  var start: Int64
  /// Its length in flicks; below 6 s.
  var duration: UInt32
  /// CRC32C of its bytes.
  var hash: UInt32
  /// The offset of the first byte in the block.
  var offset: UInt32
  var bytes: UInt32

  var end: Int64 { start + Int64(duration) }
}

/// A piece of the window: raw memory that only grows, and a table of its packets.
///
/// The log's one writer adds packets behind the published ones; readers look only at published packets. The memory is
/// freed when the last list that holds the block lets go.
final class Block: @unchecked Sendable {
  // Unchecked: bytes and entries below `published` never change, and `published` is released after they are written.

  let start: LogPoint
  let base: UnsafeMutableRawPointer
  let entries: UnsafeMutablePointer<PacketEntry>
  let capacity: Int
  let entriesMax: Int
  /// The number of packets that readers may look at.
  let published = Atomic<Int>(0)

  /// Bytes and packets written, for the writer only.
  private(set) var used = 0
  private(set) var count = 0

  /// Allocates a block. `packetBytes` is the first packet's size: the table has room for packets half as long. A block
  /// with a full table is full.
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

  /// The number of published packets that end at or before `position`.
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
