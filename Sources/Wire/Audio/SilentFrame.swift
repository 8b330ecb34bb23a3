/// Makes frames that play as silence between the packets of a stream.
///
/// A frame is made from a packet of the stream, so that the decoder keeps its setup: the header is the packet's, and
/// nothing after it sounds.
public enum SilentFrame {
  /// Returns a frame of silence in the format of `packet`, and about as long.
  ///
  /// Players whose buffers count bytes would fall silent on shorter frames, and continue minutes late.
  ///
  /// - Returns: Nil where silence may not play everywhere: for Ogg; for AAC that may be High-Efficiency (a decoder
  ///   without its extension begins anew), has another profile than LC, or has neither one nor two channels.
  public static func like(_ packet: Span<UInt8>) -> [UInt8]? {
    if let header = MPEGHeader(in: packet) { return mpeg(header, packet) }
    if let header = ADTSHeader(in: packet) { return adts(header, packet) }
    return nil
  }

  /// Whether frames of silence can be made at all for streams of this format.
  public static func isPossible(in format: AudioFormat) -> Bool {
    switch format.codec {
    case .mp1, .mp2, .mp3: true
    case .aac: format.sampleRate > coreRateMax && 1...2 ~= format.channels
    case .opus, .vorbis, .flac, .speex: false
    }
  }

  /// Returns a header followed by zeros, which mean: nothing is allocated (layers I and II), no main data (layer III).
  private static func mpeg(_ header: MPEGHeader, _ packet: Span<UInt8>) -> [UInt8]? {
    // The frame has no padding, and no CRC, which would have to be right.
    let word = packet.bigEndianWord(at: 0) & ~0x200 | 0x1_0000
    let free = packet.count - (header.isPadded ? header.slotBytes : 0)
    let length = header.bitrate > 0 ? header.frameBytes(bitrate: header.bitrate) : free
    guard length >= MPEGHeader.bytes + header.sideInfoBytes else { return nil }
    let head = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    return head + [UInt8](repeating: 0, count: length - head.count)
  }

  /// The core rate in Hz above which no decoder doubles it: ISO/IEC 14496-3 has High-Efficiency cores up to 24 kHz.
  private static let coreRateMax = 24_000

  private static func adts(_ header: ADTSHeader, _ packet: Span<UInt8>) -> [UInt8]? {
    guard header.profile == 1, header.sampleRate > coreRateMax, header.blocks == 1 else {
      return nil
    }
    let elements: [Field]
    switch header.channelConfiguration {
    case 1: elements = singleChannel
    case 2: elements = channelPair
    default: return nil
    }
    let bytes = min(packet.count, channelBytesMax * header.channelConfiguration)
    let used = width(of: elements) + width(of: end)
    let fill = fill((bytes - ADTSHeader.bytes) * 8 - used)
    let block = bits(elements + fill + end)
    let length = ADTSHeader.bytes + block.count
    var frame = (0..<ADTSHeader.bytes).map { packet[$0] }
    // The frame has no CRC and 13 bits of length; a fullness of all ones means "variable rate" (ISO/IEC 13818-7 §8.2).
    frame[1] |= 1
    frame[3] = frame[3] & 0xFC | UInt8(length >> 11)
    frame[4] = UInt8(truncatingIfNeeded: length >> 3)
    frame[5] = UInt8(truncatingIfNeeded: length << 5) | 0x1F
    frame[6] = 0xFC
    return frame + block
  }

  private typealias Field = (value: UInt64, width: Int)

  // Raw data blocks of ISO/IEC 13818-7 §8: a long window with no scale factor band at all.
  //
  // ```
  // element 3  tag 4  | gain 8  window info 11  pulse, noise shaping, gain control 3 | fill | end 3
  // ```
  private static let singleChannel: [Field] = [(0, 3), (0, 4), (0, 8), (0, 11), (0, 3)]
  // Both channels of a pair share the window, without middle-side coding.
  private static let channelPair: [Field] = [
    (1, 3), (0, 4), (1, 1), (0, 11), (0, 2), (0, 8), (0, 3), (0, 8), (0, 3),
  ]
  private static let end: [Field] = [(7, 3)]

  /// The bytes of a decoder's buffer for one channel: 6144 bits.
  private static let channelBytesMax = 768

  /// Returns elements that decoders pass over and that together take almost `width` bits.
  ///
  /// ```
  /// element 3  bytes 4, where that is 15: bytes - 14 in 8 | bytes, of type 0
  /// ```
  private static func fill(_ width: Int) -> [Field] {
    var fields: [Field] = []
    var left = width
    while left >= 3 + 4 + 8 {
      let long = min(269, (left - 15) / 8)
      let count = long >= 15 ? long : min(14, (left - 7) / 8)
      let head: [Field] =
        count >= 15 ? [(6, 3), (15, 4), (UInt64(count - 14), 8)] : [(6, 3), (UInt64(count), 4)]
      fields += head + [Field](repeating: (0, 8), count: count)
      left -= self.width(of: head) + count * 8
    }
    return fields
  }

  private static func width(of fields: [Field]) -> Int { fields.reduce(0) { $0 + $1.width } }

  /// Writes fields one after another, most significant bit first, and fills up with zeros to a byte.
  private static func bits(_ fields: [Field]) -> [UInt8] {
    var bytes: [UInt8] = []
    var word: UInt64 = 0
    var count = 0
    for field in fields + [(0, -width(of: fields) & 7)] {
      word = word << UInt64(field.width) | field.value
      count += field.width
      while count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(count)))
      }
    }
    return bytes
  }
}
