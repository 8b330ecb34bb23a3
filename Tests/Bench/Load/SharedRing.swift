import Glibc

/// The bare limit's ring. Every byte is stored twice, one ring apart, so that any stretch shorter than the ring is
/// contiguous and is sent in one write.
final class SharedRing {
  /// The ring's bytes: 65 s at 128 kbit/s.
  static let capacity = 1 << 20

  private let bytes: UnsafeMutableRawBufferPointer
  /// The number of bytes ever stored.
  private(set) var edge: UInt64 = 0

  init() {
    bytes = .allocate(byteCount: 2 * Self.capacity, alignment: 64)
  }

  deinit { bytes.deallocate() }

  var oldest: UInt64 { edge - min(edge, UInt64(Self.capacity)) }

  /// - Parameter new: At most as many bytes as the ring's capacity.
  func append(_ new: UnsafeRawBufferPointer) {
    for (index, byte) in new.enumerated() {
      let place = Int((edge + UInt64(index)) % UInt64(Self.capacity))
      bytes[place] = byte
      bytes[place + Self.capacity] = byte
    }
    edge += UInt64(new.count)
  }

  /// Returns all bytes from `position`, which must not be older than `oldest`.
  @inline(__always)
  func bytes(from position: UInt64) -> UnsafeRawBufferPointer {
    let place = Int(position % UInt64(Self.capacity))
    return UnsafeRawBufferPointer(
      rebasing: bytes[place..<(place + min(Int(edge - position), Self.capacity))])
  }
}
