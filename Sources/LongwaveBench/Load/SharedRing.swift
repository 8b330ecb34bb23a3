import Glibc

/// The bare limit's ring: every byte is laid in twice, one ring apart, so that any stretch shorter
/// than the ring is contiguous and goes out in one write.
final class SharedRing {
  /// 65 s at 128 kbit/s.
  static let capacity = 1 << 20

  private let bytes: UnsafeMutableRawBufferPointer
  /// Bytes ever laid in.
  private(set) var edge: UInt64 = 0

  init() {
    bytes = .allocate(byteCount: 2 * Self.capacity, alignment: 64)
  }

  deinit { bytes.deallocate() }

  var oldest: UInt64 { edge - min(edge, UInt64(Self.capacity)) }

  /// - Parameter new: at most the ring's capacity.
  func append(_ new: UnsafeRawBufferPointer) {
    for (index, byte) in new.enumerated() {
      let place = Int((edge + UInt64(index)) % UInt64(Self.capacity))
      bytes[place] = byte
      bytes[place + Self.capacity] = byte
    }
    edge += UInt64(new.count)
  }

  /// Everything from `position`, which is not older than `oldest`.
  @inline(__always)
  func bytes(from position: UInt64) -> UnsafeRawBufferPointer {
    let place = Int(position % UInt64(Self.capacity))
    return UnsafeRawBufferPointer(
      rebasing: bytes[place..<(place + min(Int(edge - position), Self.capacity))])
  }
}
