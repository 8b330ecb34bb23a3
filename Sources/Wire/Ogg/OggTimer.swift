/// Tells how long the packets of one logical stream play. Each codec says it at a packet's start, so nothing is
/// decoded.
struct OggTimer: Hashable, Sendable {
  /// The length of a packet in samples per channel.
  struct Length: Hashable {
    /// The samples from the end of the packet before to the end of this one.
    var samples: Int
    /// The packet's own length in samples, whatever came before it.
    var nominal: Int
  }

  private enum Kind: Hashable {
    case opus, flac
    case speex(samples: Int)
    case vorbis(VorbisBlocks)
  }

  private var kind: Kind
  /// The size of the Vorbis block before; nil before the first block and for other codecs.
  private var block: Int?

  static let opus = OggTimer(kind: .opus)
  static let flac = OggTimer(kind: .flac)
  static func speex(samples: Int) -> OggTimer { OggTimer(kind: .speex(samples: samples)) }
  static func vorbis(_ blocks: VorbisBlocks) -> OggTimer { OggTimer(kind: .vorbis(blocks)) }

  private init(kind: Kind) { self.kind = kind }

  /// - Returns: Nil for a packet that is no audio.
  mutating func length(of packet: Span<UInt8>) -> Length? {
    guard packet.count > 0 else { return nil }
    let samples: Int?
    switch kind {
    case .opus: samples = Self.opus(packet)
    case .flac: samples = Self.flac(packet)
    case .speex(let constant): samples = constant
    case .vorbis(let blocks):
      guard let size = blocks.size(of: packet[0]) else { return nil }
      // Two blocks overlap by half. The block before the first is assumed to be as long as the first, so that the
      // result does not depend on where a connection begins.
      defer { block = size }
      return Length(samples: ((block ?? size) + size) / 4, nominal: size / 2)
    }
    guard let samples, samples > 0 else { return nil }
    return Length(samples: samples, nominal: samples)
  }

  /// RFC 6716 §3.1 and §3.2.5; the result is at 48 kHz, the rate at which Opus in Ogg is always counted.
  private static func opus(_ packet: Span<UInt8>) -> Int? {
    let configuration = Int(packet[0] >> 3)
    let frame: Int
    switch configuration {
    case 0..<12: frame = [480, 960, 1920, 2880][configuration & 3]
    case 12..<16: frame = [480, 960][configuration & 1]
    default: frame = [120, 240, 480, 960][configuration & 3]
    }
    switch packet[0] & 3 {
    case 0: return frame
    case 1, 2: return 2 * frame
    default:
      guard packet.count > 1 else { return nil }
      let samples = Int(packet[1] & 0x3F) * frame
      return samples <= 5760 ? samples : nil  // 120 ms
    }
  }

  /// RFC 9639 §9.1.
  private static func flac(_ packet: Span<UInt8>) -> Int? {
    guard packet.count > 5, packet[0] == 0xFF, packet[1] & 0xFE == 0xF8 else { return nil }
    let code = Int(packet[2] >> 4)
    // Byte 4 on holds the frame's number, coded like UTF-8 in one to seven bytes. A block size without a code follows
    // it.
    let ones = (~packet[4]).leadingZeroBitCount
    let behind = 4 + max(1, ones)
    guard ones != 1, ones <= 7, behind + 2 <= packet.count else { return nil }
    switch code {
    case 1: return 192
    case 2...5: return 576 << (code - 2)
    case 6: return Int(packet[behind]) + 1
    case 7: return (Int(packet[behind]) << 8 | Int(packet[behind + 1])) + 1
    case 8...15: return 256 << (code - 8)
    default: return nil
    }
  }
}
