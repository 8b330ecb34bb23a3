/// Layer-III frames that hold a table about their file in place of audio.
///
/// Encoders put one in front of a file ("Xing" where the bitrate varies, "Info" where it does not,
/// Fraunhofer's "VBRI"); a decoder that knows it stays silent, one that does not plays 26 ms of
/// silence, and the durations and gapless figures in it are false in a stream.
/// Sources: the LAME tag specification (gabriel.mp3-tech.org), "MPEG Audio Frame Header" by
/// Konrad Windszus on VBRI.
enum MPEGInfoFrame {
  /// VBRI stands 32 bytes after the header, whatever the side info's length.
  private static let vbriOffset = MPEGHeader.bytes + 32

  /// Whether the complete frame in `range` is such a table.
  static func stands(in bytes: Span<UInt8>, _ range: Range<Int>, header: MPEGHeader) -> Bool {
    guard header.layer == 3 else { return false }
    // With a CRC the table stands 2 bytes later; some encoders forget that.
    return isTable(in: bytes, range, header: header, after: header.hasCRC ? 2 : 0)
      || header.hasCRC && isTable(in: bytes, range, header: header, after: 0)
  }

  private static func isTable(
    in bytes: Span<UInt8>, _ range: Range<Int>, header: MPEGHeader, after crcBytes: Int
  ) -> Bool {
    let sideInfo = range.lowerBound + MPEGHeader.bytes + crcBytes
    let data = sideInfo + header.sideInfoBytes
    let vbri = range.lowerBound + vbriOffset
    guard max(data, vbri) + 4 <= range.upperBound else { return false }
    let isNamed =
      bytes.agrees(with: "Xing", at: data) || bytes.agrees(with: "Info", at: data)
      || bytes.agrees(with: "VBRI", at: vbri)
    // The side info of such a frame is empty: real audio that spells a name by chance has one.
    guard isNamed else { return false }
    for i in sideInfo..<data where bytes[i] != 0 { return false }
    return true
  }
}
