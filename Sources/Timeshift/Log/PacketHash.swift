import CLinux

/// The CRC32C of a packet's bytes, by which the log knows it, in its index and its `tail`.
///
/// The hash leaves out an Ogg page's bytes before the number of segments: the page's place in a stream, and its
/// checksum.
public func packetHash(_ bytes: Span<UInt8>) -> UInt32 {
  bytes.withUnsafeBytes { packetHash($0.baseAddress!, $0.count) }
}

func packetHash(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt32 {
  let capture = UInt32(littleEndian: 0x5367_674F)  // "OggS"; no frame of another codec begins so
  let isPage = count > 26 && bytes.loadUnaligned(as: UInt32.self) == capture
  return isPage ? linux_crc32c(0, bytes + 26, count - 26) : linux_crc32c(0, bytes, count)
}
