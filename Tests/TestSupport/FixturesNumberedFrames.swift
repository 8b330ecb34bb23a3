/// A stream of valid MPEG-1 layer-III frames that carry their own number.
///
/// 128 kbit/s, 44.1 kHz, stereo, silence: empty side info, so decoders never look at the main
/// data, and that is where the number is. Frame n is the same bytes always and everywhere, its
/// length follows the exact byte rate (417 or 418), and every byte of it depends on n: whoever gets
/// a stream of them can prove that no byte is missing, doubled or moved.
///
/// ```
/// 0 header | 4 side info, 32 zeros | 36 "No" | 38 n, 10 × 7 bits | 48 CRC-32, 5 × 7 bits | 53 filling
/// ```
///
/// All bytes after the header are below 0x80: nothing in a frame looks like a header.
public struct NumberedFrames {
  /// Samples per channel of one frame.
  public static let samples = 1152
  public static let sampleRate = 44_100
  /// kbit/s.
  public static let bitrate = 128

  private static let numberOffset = 38
  private static let checkOffset = 48
  private static let fillingOffset = 53

  /// Where a stream is torn.
  public struct Torn: Error, CustomStringConvertible {
    /// The offset of the first frame that is not the expected one.
    public var offset: Int
    /// The number of the last good frame.
    public var after: UInt64?
    public var reason: String
    public var description: String {
      "torn at byte \(offset), after frame \(after.map { "\($0)" } ?? "none"): \(reason)"
    }
  }

  /// The offset of frame `n` in the stream that begins with frame 0.
  public static func position(of n: UInt64) -> UInt64 {
    // 1152 / 8 × 128,000 / 44,100 bytes a frame is 20,480 / 49.
    n / 49 * 20_480 + n % 49 * 20_480 / 49
  }

  /// Frame `n`, 417 or 418 bytes.
  public static func frame(_ n: UInt64) -> [UInt8] {
    let length = Int(position(of: n % 49 + 1) - position(of: n % 49))
    var frame: [UInt8] = [0xFF, 0xFB, length == 418 ? 0x92 : 0x90, 0x04]
    frame.reserveCapacity(length)
    frame.append(contentsOf: repeatElement(0, count: 32))
    frame.append(contentsOf: "No".utf8)
    for i in 0..<10 { frame.append(UInt8(truncatingIfNeeded: n >> UInt64(63 - i * 7)) & 0x7F) }
    frame[numberOffset] = UInt8(n >> 63)
    let check = check(of: frame[numberOffset..<checkOffset])
    for i in 0..<5 { frame.append(UInt8(truncatingIfNeeded: check >> UInt32(28 - i * 7)) & 0x7F) }
    var random = SplitMix(seed: n)
    while frame.count < length {
      var eight = random.next()
      for _ in 0..<min(8, length - frame.count) {
        frame.append(UInt8(truncatingIfNeeded: eight) & 0x7F)
        eight >>= 8
      }
    }
    return frame
  }

  /// Frames one after another.
  public static func stream(_ numbers: Range<UInt64>) -> [UInt8] {
    var stream: [UInt8] = []
    stream.reserveCapacity(Int(position(of: numbers.upperBound) - position(of: numbers.lowerBound)))
    for n in numbers { stream.append(contentsOf: frame(n)) }
    return stream
  }

  /// The number `frame` begins with; `nil` if it is none of ours or its number is damaged. Only
  /// header and number are looked at.
  public static func number(of frame: [UInt8]) -> UInt64? { number(in: frame[...]) }

  /// The same of a span.
  public static func number(of frame: Span<UInt8>) -> UInt64? {
    guard frame.count >= fillingOffset else { return nil }
    return number(in: (0..<fillingOffset).map { frame[$0] }[...])
  }

  /// The numbers of whole frames that fill `stream`, in the order they come; throws where it is
  /// torn, that is where a frame is not byte for byte the one its number says. Jumps between
  /// numbers are the caller's affair. With `mayEndInFrame` a cut but else right last frame passes
  /// (and is not counted).
  public static func numbers(
    in stream: [UInt8], mayEndInFrame: Bool = false
  ) throws -> [UInt64] {
    var numbers: [UInt64] = []
    var offset = 0
    while offset < stream.count {
      func torn(_ reason: String) -> Torn {
        Torn(offset: offset, after: numbers.last, reason: reason)
      }
      let rest = stream[offset...]
      guard let n = number(in: rest) else {
        if mayEndInFrame && rest.count < fillingOffset { break }
        throw torn("no numbered frame here: \(rest.prefix(8))")
      }
      let frame = frame(n)
      if rest.count < frame.count {
        guard mayEndInFrame, frame.starts(with: rest) else { throw torn("frame \(n) is cut") }
        break
      }
      guard rest.starts(with: frame) else {
        let bad = zip(rest, frame).prefix { $0 == $1 }.count
        throw torn("frame \(n) is wrong from its byte \(bad) on")
      }
      numbers.append(n)
      offset += frame.count
    }
    return numbers
  }

  private static func number(in bytes: ArraySlice<UInt8>) -> UInt64? {
    let start = bytes.startIndex
    guard bytes.count >= fillingOffset, bytes[start] == 0xFF, bytes[start + 1] == 0xFB,
      bytes[start + 2] & 0xFD == 0x90, bytes[start + 36] == UInt8(ascii: "N"),
      bytes[start + 37] == UInt8(ascii: "o")
    else { return nil }
    let digits = bytes[(start + numberOffset)..<(start + checkOffset)]
    let marks = bytes[(start + checkOffset)..<(start + fillingOffset)]
    let check = marks.reduce(UInt32(0)) { $0 << 7 | UInt32($1 & 0x7F) }
    guard check == self.check(of: digits) else { return nil }
    return digits.reduce(UInt64(0)) { $0 << 7 | UInt64($1 & 0x7F) }
  }

  /// CRC-32 (IEEE 802.3), bit by bit: ten bytes a frame.
  private static func check(of bytes: ArraySlice<UInt8>) -> UInt32 {
    var crc = ~UInt32(0)
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
