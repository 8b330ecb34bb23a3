/// Makes layer-III frames that let a decoder jump into the middle of a stream.
///
/// A layer-III frame may keep part of its audio in the frames before it, the bit reservoir. Its main data begins
/// `main_data_begin` bytes before its own main-data area, counted in main-data areas only (ISO/IEC 11172-3 §2.4.2.7 and
/// §2.4.3.4). After a jump a decoder would read those bytes from the audio before the jump, and play noise for a frame
/// or two. A lead-in brings the right bytes: frames with empty side info, so silent themselves, whose main-data areas
/// end with the reservoir that the target needs. The listener hears a clean fade-in.
///
/// ```
/// | header | side info: zero | zeros ... reservoir | target: header | side info | main data ...
///                                      ^-- main_data_begin bytes --^
/// ```
///
/// Each frame lasts `MPEGHeader.samples`, and a jump costs the time of its frames: nearly always one frame.
public enum MPEGLeadIn {
  /// The number of preceding frames that is always enough. In MPEG-1 nine frames suffice; a reservoir of 255 bytes
  /// takes 29 of the smallest frames that anyone sends (8 kbit/s mono with CRC).
  public static let precedingMax = 32

  /// The bytes of bit reservoir that `packet` needs: `main_data_begin`, 0...511; 0 for other codecs.
  public static func reservoirNeed(of packet: Span<UInt8>) -> Int {
    guard let header = MPEGHeader(in: packet), header.layer == 3,
      packet.count >= header.mainDataOffset
    else { return 0 }
    let sideInfo = header.mainDataOffset - header.sideInfoBytes
    let first = Int(packet[sideInfo])
    // The field has 9 bits in MPEG-1, else 8.
    return header.version == .v1 ? first << 1 | Int(packet[sideInfo + 1]) >> 7 : first
  }

  /// Returns the frames to send before `target`.
  ///
  /// - Parameters:
  ///   - target: One whole frame.
  ///   - preceding: The whole frames before it in its stream, oldest first. A frame of another version, layer or sample
  ///     rate ends the reservoir.
  /// - Returns: Whole frames; empty if nothing is needed or the codec is not layer III; nil if `preceding` does not
  ///   hold enough bytes.
  public static func frames(for target: Span<UInt8>, preceding: [[UInt8]]) -> [UInt8]? {
    let need = reservoirNeed(of: target)
    guard need > 0, let header = MPEGHeader(in: target) else { return [] }
    guard let reservoir = reservoir(bytes: need, header: header, preceding: preceding) else {
      return nil
    }
    guard let template = Template(target: target, header: header, need: need) else { return nil }
    let count = (need + template.roomBytes - 1) / template.roomBytes
    var out: [UInt8] = []
    out.reserveCapacity(count * template.frameBytes)
    for index in 0..<count {
      template.append(frame: index, of: count, carrying: reservoir, to: &out)
    }
    return out
  }

  /// Returns the last `bytes` bytes of the main-data areas of `preceding`; nil if they hold fewer.
  static func reservoir(
    bytes: Int, header: MPEGHeader, preceding: [[UInt8]]
  ) -> [UInt8]? {
    var reversed: [UInt8] = []
    for frame in preceding.reversed() {
      guard let other = MPEGHeader(in: frame.span), other.layer == 3,
        other.version == header.version, other.sampleRate == header.sampleRate,
        frame.count >= other.mainDataOffset
      else { break }
      reversed.append(contentsOf: frame[other.mainDataOffset...].reversed())
      if reversed.count >= bytes { return reversed[..<bytes].reversed() }
    }
    return nil
  }
}

/// The frames of one lead-in, which differ only in `main_data_begin` and in the reservoir bytes that they carry.
private struct Template {
  private let word: UInt32
  private let sideInfoBytes: Int
  private let isV1: Bool
  let frameBytes: Int
  /// Bytes of main data in one frame.
  let roomBytes: Int

  /// Takes the target's header without CRC and padding, at the smallest bitrate with room for `need`.
  ///
  /// One frame has room at some bitrate of every version. Free format keeps its frame's length, since a change of
  /// bitrate there is a change of stream; it may therefore take several frames. Nil for a free-format frame too short
  /// to carry anything.
  init?(target: Span<UInt8>, header: MPEGHeader, need: Int) {
    let overhead = MPEGHeader.bytes + header.sideInfoBytes
    var index = 0
    var length = target.count - (header.isPadded ? header.slotBytes : 0)
    if header.bitrate > 0 {
      repeat {
        index += 1
        length = header.frameBytes(
          bitrate: MPEGHeader.bitrate(header.version, layer: 3, index: index))
      } while length - overhead < need && index < 14
    }
    guard length > overhead else { return nil }
    let plain = target.bigEndianWord(at: 0) & ~0xF200 | 0x1_0000
    word = plain | UInt32(index) << 12
    sideInfoBytes = header.sideInfoBytes
    isV1 = header.version == .v1
    frameBytes = length
    roomBytes = length - overhead
  }

  /// Appends one frame; the reservoir stands right-aligned in the main-data areas of all `count` frames.
  func append(frame index: Int, of count: Int, carrying reservoir: [UInt8], to out: inout [UInt8]) {
    for shift in [24, 16, 8, 0] { out.append(UInt8(truncatingIfNeeded: word >> UInt32(shift))) }
    appendSideInfo(mainDataBegin: index * roomBytes, to: &out)
    let first = reservoir.count - (count - index) * roomBytes
    for at in first..<(first + roomBytes) { out.append(at < 0 ? 0 : reservoir[at]) }
  }

  /// Appends side info that is empty except for `main_data_begin`, which points back over the frames already made. Some
  /// decoders carry over only the bytes that the next frame asks for; the pointer keeps them from forgetting the rest.
  private func appendSideInfo(mainDataBegin: Int, to out: inout [UInt8]) {
    let begin = min(mainDataBegin, isV1 ? MPEGHeader.reservoirMax : MPEGHeader.reservoirMaxV2)
    out.append(UInt8(isV1 ? begin >> 1 : begin))
    out.append(isV1 ? UInt8(begin & 1) << 7 : 0)
    for _ in 2..<sideInfoBytes { out.append(0) }
  }
}
