/// Layer-III frames that hold a table about their file in place of audio.
///
/// Encoders put such a frame in front of a file: "Xing" where the bitrate varies, "Info" where it does not, "VBRI" by
/// Fraunhofer. A decoder that knows the table stays silent; one that does not plays 26 ms of silence. The durations and
/// gapless figures in the table are false in a stream.
/// Sources: the LAME tag specification (gabriel.mp3-tech.org); "MPEG Audio Frame Header" by Konrad Windszus on VBRI.
enum MPEGInfoFrame {
  /// The offset of "VBRI": 32 bytes after the header, whatever the side info's length.
  private static let vbriOffset = MPEGHeader.bytes + 32

  /// Whether the complete frame in `range` is an info table.
  static func stands(in bytes: Span<UInt8>, _ range: Range<Int>, header: MPEGHeader) -> Bool {
    table(in: bytes, range, header: header) != nil
  }

  /// Returns where the table of the complete frame in `range` begins, with its name; nil where it has none.
  static func table(in bytes: Span<UInt8>, _ range: Range<Int>, header: MPEGHeader) -> Int? {
    guard header.layer == 3 else { return nil }
    let sideInfo = range.lowerBound + header.mainDataOffset - header.sideInfoBytes
    // LAME puts the table where it would stand without a CRC; other encoders let the CRC push it back.
    let early = range.lowerBound + MPEGHeader.bytes + header.sideInfoBytes
    let late = range.lowerBound + header.mainDataOffset
    let vbri = range.lowerBound + vbriOffset
    guard max(late, vbri) + 4 <= range.upperBound else { return nil }
    let table: Int
    if isXing(in: bytes, at: late) {
      table = late
    } else if isXing(in: bytes, at: early) {
      table = early
    } else if bytes.agrees(with: "VBRI", at: vbri) {
      table = vbri
    } else {
      return nil
    }
    // Only an info frame's side info is empty; real audio that spells a name by chance has side info.
    for i in sideInfo..<early where bytes[i] != 0 { return nil }
    return table
  }

  private static func isXing(in bytes: Span<UInt8>, at offset: Int) -> Bool {
    bytes.agrees(with: "Xing", at: offset) || bytes.agrees(with: "Info", at: offset)
  }
}
