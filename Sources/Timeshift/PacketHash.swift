import CLinux

/// What the log knows a packet by: CRC32C of its bytes, as in its index and its `tail`.
public func packetHash(_ bytes: Span<UInt8>) -> UInt32 {
  bytes.withUnsafeBytes { linux_crc32c(0, $0.baseAddress, $0.count) }
}
