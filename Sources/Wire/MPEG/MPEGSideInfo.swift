/// The side info of a layer III frame: where its main data begins, and what each granule says of itself.
///
/// Sources: ISO/IEC 11172-3 §2.4.1.7, and 13818-3 §2.4.1.7 for the low sample rates.
///
/// ```
/// MPEG-1   9 main data begin  5 or 3 private  4 share per channel | 59 per granule and channel
/// MPEG-2   8 main data begin  1 or 2 private                      | 63 per channel
/// granule  12 length of main data  9 big values  8 global gain  4 or 9 scale factors  1 switching  2 block  1 mixed ...
/// ```
public struct MPEGSideInfo: Hashable, Sendable {
  /// The window of a granule, as the format numbers them.
  public enum Block: Int, Sendable {
    case long, start, short, stop

    /// Whether the granule before sees the first half of a long window.
    public var beginsLong: Bool { self == .long || self == .start }
    /// Whether the granule behind sees the second half of a long window.
    public var endsLong: Bool { self == .long || self == .stop }
  }

  /// A granule of one channel.
  public struct Granule: Hashable, Sendable {
    /// Bits of main data, 0...4095.
    public var dataBits: Int
    /// Steps of 1.505 dB, 0...255.
    public var gain: Int
    /// The place of the gain's 8 bits in the frame, in bits.
    public var gainBit: Int
    public var block: Block
  }

  /// Bytes of main data that stand in the frames before, 0...511.
  public var mainDataBegin: Int
  /// The channels of the first granule, then those of the second, which only MPEG-1 has.
  public var granules: [Granule]

  /// Bits of main data in the frame.
  public var dataBits: Int { granules.reduce(0) { $0 + $1.dataBits } }
  /// Bytes of main data in the frame. Encoders begin the next frame's at a whole byte.
  public var dataBytes: Int { (dataBits + 7) / 8 }
  /// Whether all windows are long.
  public var isLong: Bool { granules.allSatisfy { $0.block == .long } }

  /// Whether the frame behind, in all channels, may begin with a long window.
  public var endsLong: Bool { granules.suffix(channels).allSatisfy(\.block.endsLong) }
  /// Whether the frame before, in all channels, may end with a long window.
  public var beginsLong: Bool { granules.prefix(channels).allSatisfy(\.block.beginsLong) }

  private let channels: Int

  /// Reads the side info of one frame. Nil for other layers, and for a frame that ends before it.
  public init?(in frame: Span<UInt8>) {
    guard let header = MPEGHeader(in: frame), let layout = Layout(header, in: frame) else {
      return nil
    }
    var bits = BitReader(at: layout.firstByte)
    guard let begin = bits.read(layout.beginBits, of: frame) else { return nil }
    mainDataBegin = begin
    channels = header.channels
    granules = []
    for index in 0..<layout.granules {
      var bits = BitReader(at: layout.firstByte)
      let first = layout.leadBits + index * layout.granuleBits
      bits.skip(first)
      guard let length = bits.read(12, of: frame) else { return nil }
      bits.skip(9)
      guard let gain = bits.read(8, of: frame) else { return nil }
      bits.skip(layout.scaleBits)
      guard let isSwitched = bits.read(1, of: frame), let kind = bits.read(2, of: frame) else {
        return nil
      }
      granules.append(
        Granule(
          dataBits: length, gain: gain,
          gainBit: layout.firstByte * 8 + first + Layout.gainOffset,
          block: isSwitched == 1 ? Block(rawValue: kind) ?? .long : .long))
    }
  }
}

extension MPEGSideInfo {
  /// Where the fields of a frame's side info stand.
  struct Layout {
    /// The side info's offset in the frame.
    let firstByte: Int
    /// Bits of `main_data_begin`.
    let beginBits: Int
    /// Bits before the first granule.
    let leadBits: Int
    /// Granules of all channels, 1...4.
    let granules: Int
    /// Bits of one granule of one channel.
    let granuleBits: Int
    /// Bits of the scale factors' lengths, between the gain and the switch of windows.
    let scaleBits: Int

    /// Bits of a granule before its gain.
    static let gainOffset = 12 + 9

    /// Nil for other layers, and for a frame that ends before its main data.
    init?(_ header: MPEGHeader, in frame: Span<UInt8>) {
      guard header.layer == 3, frame.count >= header.mainDataOffset else { return nil }
      let isV1 = header.version == .v1
      let isMono = header.channels == 1
      firstByte = header.mainDataOffset - header.sideInfoBytes
      beginBits = isV1 ? 9 : 8
      leadBits = isV1 ? (isMono ? 18 : 20) : (isMono ? 9 : 10)
      granules = isV1 ? 2 * header.channels : header.channels
      granuleBits = isV1 ? 59 : 63
      scaleBits = isV1 ? 4 : 9
    }
  }
}
