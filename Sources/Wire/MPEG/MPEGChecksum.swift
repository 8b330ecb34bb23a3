/// The CRC of a layer III frame, over the second half of its header and its side info.
///
/// Source: ISO/IEC 11172-3 §2.4.3.1: x¹⁶ + x¹⁵ + x² + 1, from all ones, most significant bit first.
enum MPEGChecksum {
  /// Writes the CRC anew, where the frame has one and is long enough for its side info.
  static func renew(_ frame: inout MutableSpan<UInt8>) {
    guard let header = MPEGHeader(in: frame.span), header.layer == 3, header.hasCRC,
      frame.count >= header.mainDataOffset
    else { return }
    let crc = of(frame.span, header)
    frame[MPEGHeader.bytes] = UInt8(crc >> 8)
    frame[MPEGHeader.bytes + 1] = UInt8(crc & 0xFF)
  }

  /// The CRC of a frame that has its whole side info, behind two bytes of CRC.
  static func of(_ frame: Span<UInt8>, _ header: MPEGHeader) -> UInt16 {
    var crc: UInt16 = 0xFFFF
    for index in 2..<MPEGHeader.bytes { add(frame[index], to: &crc) }
    for index in (MPEGHeader.bytes + 2)..<header.mainDataOffset { add(frame[index], to: &crc) }
    return crc
  }

  private static func add(_ byte: UInt8, to crc: inout UInt16) {
    crc ^= UInt16(byte) << 8
    for _ in 0..<8 { crc = crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x8005 }
  }
}
