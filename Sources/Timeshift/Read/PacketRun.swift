import Wire

/// Packets that follow each other, copied, and those in front of them that only prepare a decoder.
public struct PacketRun: Hashable, Sendable {
  public struct Packet: Hashable, Sendable {
    /// The packet's place in `bytes`.
    public var range: Range<Int>
    /// How long what is heard of the packet is.
    public var length: MediaTime
    /// How much at its end is not heard.
    public var cut: MediaTime
  }

  /// What a decoder needs first; empty for packets that need none.
  public let headers: [UInt8]

  public private(set) var bytes: [UInt8] = []
  public private(set) var packets: [Packet] = []
  /// How many of the packets only prepare a decoder.
  public private(set) var leadIn = 0

  public init(headers: [UInt8] = []) { self.headers = headers }

  /// The length of the packets without the lead-in.
  public var length: MediaTime { packets[leadIn...].reduce(.zero) { $0 + $1.length } }

  /// - Parameter isLeadIn: whether it only prepares a decoder. The lead-in comes first.
  public mutating func append(
    _ packet: UnsafeRawBufferPointer, length: MediaTime, cut: MediaTime = .zero, isLeadIn: Bool
  ) {
    packets.append(
      Packet(range: bytes.count..<bytes.count + packet.count, length: length, cut: cut))
    bytes.append(contentsOf: packet)
    if isLeadIn { leadIn = packets.count }
  }
}

/// How audio is cut into blocks that are read from the last to the first.
public enum ReverseBlocks {
  /// At 48 kHz in stereo, 384 KB of samples.
  public static let length = MediaTime(seconds: 2)

  /// Audio in front of a block of a codec, which prepares its decoder: a frame may need what earlier ones left.
  ///
  /// MP3's bit reservoir reaches back by 9 frames at most (13818-3), Opus needs 80 ms (RFC 7845 §4.6), Vorbis one block.
  public static func leadIn(of codec: Codec) -> MediaTime {
    switch codec {
    // The settings of SBR come once in half a second: until then HE-AAC is without its heights.
    case .aac: MediaTime(seconds: 1)
    // It predicts from what it has heard, without a bound.
    case .speex: MediaTime(seconds: 2)
    case .mp1, .mp2, .mp3, .opus, .vorbis, .flac: MediaTime(seconds: 0.5)
    }
  }
}
