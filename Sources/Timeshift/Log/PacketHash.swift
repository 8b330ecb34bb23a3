import CLinux
import Wire

/// The CRC32C of a packet's bytes, by which the log knows it, in its index and its `tail`.
///
/// The hash leaves out each Ogg page's bytes before the number of segments: the page's place in a stream, and its
/// checksum.
public func packetHash(_ bytes: Span<UInt8>) -> UInt32 {
  bytes.withUnsafeBytes { packetHash($0.baseAddress!, $0.count) }
}

func packetHash(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt32 {
  let capture = UInt32(littleEndian: 0x5367_674F)  // "OggS"; no frame of another codec begins so
  let isPage = count > 26 && bytes.loadUnaligned(as: UInt32.self) == capture
  guard isPage else { return linux_crc32c(0, bytes, count) }
  var hash: UInt32 = 0
  for page in OggPage.places(in: count) where page.count > 26 {
    hash = linux_crc32c(hash, bytes + page.lowerBound + 26, page.count - 26)
  }
  return hash
}
