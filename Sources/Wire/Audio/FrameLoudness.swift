/// An estimate of how loud a frame is, from the fields in front of its coded samples. Nothing is decoded.
///
/// The fields say how coarse the quantiser's steps are (`global_gain`, 1.5 dB each). The level also depends on how large
/// the quantised values are, so the estimate is 3 to 7 dB off for music and speech. Silence is exact. Pure tones are up
/// to 38 dB louder than estimated.
/// Sources: ISO/IEC 11172-3 §2.4.1.7 and 13818-3 §2.4.1.7 (layer III); ISO/IEC 13818-7 §6.3 (AAC).
public enum FrameLoudness {
  /// Returns the loudness of one whole frame: 0 for silence, else a byte of -96 + 0.375 * byte dB of full scale.
  ///
  /// Nil where the frame does not say it: in other codecs, in other elements, in a frame that ends too early.
  public static func estimate(_ frame: Span<UInt8>, codec: Codec) -> UInt8? {
    switch codec {
    case .mp3: mp3(frame)
    case .aac: adts(frame)
    case .mp1, .mp2, .opus, .vorbis, .flac, .speex: nil
    }
  }

  /// Whether frames of the codec say it.
  public static func isKnown(of codec: Codec) -> Bool { codec == .mp3 || codec == .aac }

  // MARK: Layer III

  /// Returns the mean over the granules and channels that have main data (`MPEGSideInfo` draws the fields).
  private static func mp3(_ frame: Span<UInt8>) -> UInt8? {
    guard let header = MPEGHeader(in: frame), let layout = MPEGSideInfo.Layout(header, in: frame)
    else { return nil }
    var bits = BitReader(at: layout.firstByte)
    bits.skip(layout.leadBits)
    var (sum, count) = (0, 0)
    for _ in 0..<layout.granules {
      guard let length = bits.read(12, of: frame) else { return nil }
      bits.skip(9)
      guard let gain = bits.read(8, of: frame) else { return nil }
      bits.skip(layout.granuleBits - MPEGSideInfo.Layout.gainOffset - 8)
      guard length > 0 else { continue }
      sum += gain
      count += 1
    }
    return count == 0 ? 0 : byte(gains: sum, of: count, offset: mp3Offset)
  }

  // MARK: AAC

  /// What `ics_info` says of a channel's windows.
  private struct Windows {
    /// Scale factor bands of a group that are coded; none are in silence.
    var bands: Int
    var groups: Int
    var isShort: Bool
  }

  /// Returns what the first channel of the first element says; the second stands behind Huffman-coded data.
  ///
  /// ```
  /// element 3 (0 one channel, 1 a pair)  tag 4
  ///   one channel   gain 8  windows  sections
  ///   pair          common 1, where 0 as one channel, else: windows  mask 2  used 1 per band where mask is 1
  ///                 gain 8  sections
  /// windows   reserved 1  sequence 2  shape 1 | short: bands 4  grouping 7 | long: bands 6  prediction 1
  /// sections  codebook 4  length 5 or 3, where that is all ones another follows
  /// ```
  private static func adts(_ frame: Span<UInt8>) -> UInt8? {
    guard let header = ADTSHeader(in: frame) else { return nil }
    // A CRC follows the header, behind the places of further blocks.
    var bits = BitReader(at: ADTSHeader.bytes + (header.hasCRC ? 2 * header.blocks : 0))
    guard let element = bits.read(3, of: frame), element <= 1 else { return nil }
    bits.skip(4)
    var shared: Windows?
    if element == 1 {
      guard let isCommon = bits.read(1, of: frame) else { return nil }
      if isCommon == 1 {
        guard let windows = windows(of: frame, &bits), let mask = bits.read(2, of: frame) else {
          return nil
        }
        if mask == 1 { bits.skip(windows.bands * windows.groups) }
        shared = windows
      }
    }
    guard let gain = bits.read(8, of: frame), let windows = shared ?? windows(of: frame, &bits),
      let isSilent = isSilent(windows, of: frame, &bits)
    else { return nil }
    return isSilent ? 0 : byte(gains: gain, of: 1, offset: aacOffset)
  }

  /// Nil with prediction, which only the Main and LTP profiles have.
  private static func windows(of frame: Span<UInt8>, _ bits: inout BitReader) -> Windows? {
    bits.skip(1)
    guard let sequence = bits.read(2, of: frame) else { return nil }
    bits.skip(1)
    if sequence == 2 {
      guard let bands = bits.read(4, of: frame), let grouping = bits.read(7, of: frame) else {
        return nil
      }
      // Each of seven bits joins a window to the group before it.
      return Windows(bands: bands, groups: 8 - grouping.nonzeroBitCount, isShort: true)
    }
    guard let bands = bits.read(6, of: frame), bits.read(1, of: frame) == 0 else { return nil }
    return Windows(bands: bands, groups: 1, isShort: false)
  }

  /// Whether no section has values; codebook 0 means zeros.
  private static func isSilent(
    _ windows: Windows, of frame: Span<UInt8>, _ bits: inout BitReader
  ) -> Bool? {
    let width = windows.isShort ? 3 : 5
    let more = (1 << width) - 1
    for _ in 0..<windows.groups {
      var band = 0
      while band < windows.bands {
        guard let codebook = bits.read(4, of: frame) else { return nil }
        if codebook > 0 { return false }
        var length = 0
        while true {
          guard let part = bits.read(width, of: frame) else { return nil }
          length += part
          if part < more { break }
        }
        // A section without a length would never end.
        guard length > 0 else { return nil }
        band += length
      }
    }
    return true
  }

  // MARK: Gains as bytes

  // Lines through measured seconds of music and speech between -55 and -14 dB. LAME's MP3: dB = 0.95 * gain - 189. AAC
  // by FFmpeg: dB = 0.95 * gain - 178, with an offset that moves by 8 dB with the bit rate.
  // 0.95 / 0.375 is 38 / 15, and the offsets are (189 - 96) / 0.375 and (178 - 96) / 0.375.
  private static let mp3Offset = 248
  private static let aacOffset = 219

  private static func byte(gains: Int, of count: Int, offset: Int) -> UInt8 {
    UInt8(clamping: max(1, 38 * gains / (15 * count) - offset))
  }
}
