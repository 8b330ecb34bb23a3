/// The sample entry of Opus or FLAC (ISO/IEC 14496-12 §12.2.3), out of the codec's first header packet.
struct FragmentEntry: Hashable, Sendable {
  private enum Setup: Hashable {
    /// The content of `dOps`.
    case opus([UInt8])
    /// The 34 bytes of STREAMINFO.
    case flac([UInt8], bits: Int)
  }

  private let setup: Setup
  let sampleRate: Int
  private let channels: Int

  init?(_ headers: OggHeaders) {
    sampleRate = headers.format.sampleRate
    channels = headers.format.channels
    switch headers.format.codec {
    case .opus:
      guard let setup = Self.opus(headers.identification) else { return nil }
      self.setup = .opus(setup)
    case .flac:
      // In Ogg it follows 9 bytes of head, fLaC, and the head of a metadata block.
      let info = Array(headers.identification.dropFirst(17).prefix(34))
      guard info.count == 34 else { return nil }
      setup = .flac(info, bits: Int(info[12] & 1) << 4 + Int(info[13] >> 4) + 1)
    default: return nil
    }
  }

  /// Makes `dOps` of OpusHead: without its name, in version 0, its numbers with the highest byte first.
  private static func opus(_ head: [UInt8]) -> [UInt8]? {
    guard head.count >= 19 else { return nil }
    let (channels, family) = (head[9], head[18])
    // RFC 7845 §5.1.1: a table of streams, coupled streams and channels follows all families but 0.
    let table = family == 0 ? 0 : 2 + Int(channels)
    guard head.count >= 19 + table, family != 0 || channels <= 2 else { return nil }
    return [0, channels] + head[10..<12].reversed() + head[12..<16].reversed()
      + head[16..<18].reversed() + [family] + head[19..<19 + table]
  }

  func append(to writer: inout MP4BoxWriter) {
    switch setup {
    case .opus(let content):
      writer.box("Opus") {
        fields(bits: 16, to: &$0)
        $0.box("dOps") { $0.append(content) }
      }
    case .flac(let info, let bits):
      writer.box("fLaC") {
        fields(bits: bits, to: &$0)
        $0.box("dfLa", version: 0) {
          // The last metadata block, STREAMINFO, of 34 bytes.
          $0.append([0x80, 0, 0, 34] as [UInt8])
          $0.append(info)
        }
      }
    }
  }

  private func fields(bits: Int, to writer: inout MP4BoxWriter) {
    writer.zeros(6)
    // The data reference.
    writer.append(UInt16(1))
    writer.zeros(8)
    writer.append(UInt16(clamping: channels))
    writer.append(UInt16(clamping: bits))
    writer.zeros(4)
    // 16.16: a rate that does not fit stands in the codec's own box only.
    writer.append(sampleRate < 0x1_0000 ? UInt32(sampleRate) << 16 : 0)
  }
}
