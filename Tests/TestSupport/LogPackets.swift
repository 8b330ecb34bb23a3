import Wire

/// An audio file cut into the packets that a log has of it.
public struct LogPackets: Sendable {
  public struct Packet: Sendable {
    public var bytes: [UInt8]
    /// Of each channel, by the packet's own words.
    public var samples: Int

    public init(bytes: [UInt8], samples: Int) { (self.bytes, self.samples) = (bytes, samples) }
  }

  /// What a decoder needs first; empty for ADTS.
  public var headers: [UInt8] = []
  public var format: AudioFormat
  public var packets: [Packet] = []

  /// An Ogg file.
  public init?(ogg file: [UInt8]) {
    let demuxed = DemuxedOgg(file)
    guard let first = demuxed.headers.first else { return nil }
    (headers, format) = (first.pages(serial: 7), first.format)
    var sequence: UInt32 = 16
    packets = demuxed.pages.map { page in
      var bytes = page.bytes
      var span = bytes.mutableSpan
      OggPage.stamp(&span, serial: 7, sequence: sequence, granule: 0)
      sequence += 1
      return Packet(bytes: bytes, samples: page.samples)
    }
  }

  /// A file of ADTS or MPEG frames.
  public init?(frames file: [UInt8]) {
    var scanner = PacketScanner()
    var from = 0
    var format: AudioFormat?
    while let finding = scanner.next(in: file.span, from: from, atEnd: true) {
      if case .packet(let packet) = finding {
        format = packet.format
        packets.append(Packet(bytes: Array(file[packet.range]), samples: packet.samples))
      }
      from = finding.range.upperBound
    }
    guard let format else { return nil }
    self.format = format
  }

  public var samples: Int { packets.reduce(0) { $0 + $1.samples } }
}

extension LogPackets {
  /// Frames of AAC-LC as those of HE-AAC: each with a fill element that says there is SBR, and no more of it.
  ///
  /// Their decoder doubles the rate (ISO/IEC 14496-3 §4.6.18.5), and hears the core alone.
  public func withSBR() -> LogPackets {
    var made = self
    made.packets = packets.map { Packet(bytes: Self.withSBR($0.bytes), samples: $0.samples) }
    return made
  }

  private static func withSBR(_ frame: [UInt8]) -> [UInt8] {
    var bits = frame.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
    // The last element is the end's mark: three ones, then zeros up to a whole byte.
    while bits.last == 0 { bits.removeLast() }
    precondition(bits.suffix(3) == [1, 1, 1])
    bits.removeLast(3)
    // A fill element (6) of 2 bytes: extension type 13 (SBR), no header, and zeros.
    bits += [1, 1, 0] + [0, 0, 1, 0] + [1, 1, 0, 1] + [UInt8](repeating: 0, count: 12)
    bits += [1, 1, 1]
    bits += [UInt8](repeating: 0, count: (8 - bits.count % 8) % 8)
    var bytes = stride(from: 0, to: bits.count, by: 8).map { place in
      bits[place..<place + 8].reduce(UInt8(0)) { $0 << 1 | $1 }
    }
    // The frame's length has 13 bits.
    bytes[3] = bytes[3] & 0xFC | UInt8(bytes.count >> 11)
    bytes[4] = UInt8(bytes.count >> 3 & 255)
    bytes[5] = bytes[5] & 0x1F | UInt8(bytes.count & 7) << 5
    return bytes
  }
}
