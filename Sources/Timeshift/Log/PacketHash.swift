import CLinux

/// What the log knows a packet by, in its index and its `tail`: CRC32C of its bytes. Of an Ogg page what stands in front
/// of the number of its segments is left out: its place in a stream, and the checksum over that.
public func packetHash(_ bytes: Span<UInt8>) -> UInt32 {
  bytes.withUnsafeBytes { packetHash($0.baseAddress!, $0.count) }
}

func packetHash(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt32 {
  let capture = UInt32(littleEndian: 0x5367_674F)  // "OggS"; no frame of another codec begins so
  let isPage = count > 26 && bytes.loadUnaligned(as: UInt32.self) == capture
  return isPage ? linux_crc32c(0, bytes + 26, count - 26) : linux_crc32c(0, bytes, count)
}
